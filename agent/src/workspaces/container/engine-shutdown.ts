import { setTimeout as sleep } from 'node:timers/promises';
import { isEngineFailure, isEngineUnavailable } from './docker-errors.js';

export const shutdownLimits = {
  /** An engine that shuts down waits ten seconds for its containers. */
  shutdownMs: 15_000,
  /** After it has closed its store, it ends with certainty, but on a busy machine not soon. */
  closedMs: 60_000,
};

interface Watched {
  /** Fails when no engine answers. */
  readonly check: () => Promise<void>;
  readonly limits: typeof shutdownLimits;
  readonly signal: AbortSignal;
}

/**
 * Whether an operation failed because the engine is unavailable or shuts down. An engine that
 * shuts down accepts requests until the end, and fails those that need what it has closed.
 */
export async function isOfShutdown(error: unknown, { check, limits, signal }: Watched): Promise<boolean> {
  if (isEngineUnavailable(error)) return true;
  if (!isEngineFailure(error)) return false;
  const end = performance.now() + (hasClosedStore(error) ? limits.closedMs : limits.shutdownMs);
  while (performance.now() < end) {
    const answers = await check().then(
      () => true,
      () => false,
    );
    if (!answers) return true;
    await sleep(100, undefined, { signal });
  }
  return false;
}

function hasClosedStore(error: unknown): boolean {
  return (
    error instanceof Error && (/failed to update store/.test(error.message) || hasClosedStore(error.cause))
  );
}
