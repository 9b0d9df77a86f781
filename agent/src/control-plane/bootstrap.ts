import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import * as z from 'zod/mini';
import { BootstrapResponse } from '../../../protocol/boot.js';
import { writeFileAtomic } from '../files/local-disk.js';
import type { BootDiagnostics } from '../node/boot-diagnostics.js';
import type { Log } from '../shared/log.js';
import { retry } from '../shared/retry.js';
import { isUnavailable } from './callback-errors.js';
import type { ControlPlane } from './control-plane.js';

const Redemption = z.object({ tokenHash: z.string(), redemptionId: z.string() });

interface BootstrapOptions {
  readonly nodeId: string;
  readonly token: string;
  /** Stores the redemption's id, so that a retry after a crash is the same redemption. */
  readonly redemptionFile: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly bootDiagnostics: Pick<BootDiagnostics, 'recordFailure'>;
  readonly log: Log;
}

/**
 * Redeems the single-use token for this node's callback token; retries while the control plane does
 * not answer.
 * @throws CallbackRefused when the token is invalid or used
 */
export async function redeemBootstrapToken(
  controlPlane: ControlPlane,
  options: BootstrapOptions,
): Promise<string> {
  const { nodeId, token, signal, bootDiagnostics, log } = options;
  const redemptionId = await redemptionIdOf(token, options.redemptionFile);
  const redeem = () =>
    controlPlane.post({
      path: '/api/bootstrap',
      body: { nodeId, token, redemptionId },
      answer: BootstrapResponse,
      timeoutMs: options.timeoutMs,
      signal,
    });
  const { callbackToken } = await retry(redeem, {
    attempts: Number.POSITIVE_INFINITY,
    firstDelayMs: 500,
    maxDelayMs: 30_000,
    isTransient: isUnavailable,
    signal,
    onRetry: (error, delayMs) => {
      bootDiagnostics.recordFailure('Bootstrap', error);
      log.warn('Bootstrap request failed; retrying', { error, delayMs });
    },
  });
  return callbackToken;
}

async function redemptionIdOf(token: string, file: string): Promise<string> {
  const tokenHash = createHash('sha256').update(token).digest('hex');
  const saved = await readRedemption(file);
  if (saved?.tokenHash === tokenHash) return saved.redemptionId;
  const redemptionId = randomBytes(16).toString('hex');
  await writeFileAtomic(file, JSON.stringify({ tokenHash, redemptionId }));
  return redemptionId;
}

async function readRedemption(file: string): Promise<z.infer<typeof Redemption> | null> {
  try {
    return Redemption.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return null;
  }
}
