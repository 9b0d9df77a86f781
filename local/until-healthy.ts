import { setTimeout as delay } from 'node:timers/promises';
import { LaptopError } from './laptop-error.js';

const timeoutMs = 30_000;

/**
 * Resolves when the control plane answers that it is healthy. @throws {LaptopError} with its last
 * answer
 */
export async function untilHealthy(url: string): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  let last = 'nothing';
  while (Date.now() < deadline) {
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(10_000) });
      if (response.ok) return;
      last = `${response.status} ${(await response.text()).slice(0, 300)}`;
    } catch (error) {
      last = String(error);
    }
    await delay(200);
  }
  throw new LaptopError(
    `The control plane is not healthy after ${timeoutMs / 1000} s; ${url} answered: ${last}`,
  );
}
