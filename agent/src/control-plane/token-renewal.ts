import type { Log } from '../shared/log.js';
import type { WorkspaceStore } from '../store/workspace-store.js';
import type { Workspace } from '../workspaces/workspace.js';
import { CallbackRefused } from './callback-errors.js';
import { jwtTimes } from './jwt-times.js';
import type { NodeToken } from './node-token.js';
import type { WorkspaceCallbacks } from './workspace-callbacks.js';

interface RenewalOptions {
  readonly nodeId: string;
  readonly ratio: number;
  readonly retryInitialMs: number;
  readonly retryMaxMs: number;
}

interface Attempts {
  /** The token of this state; a new token has a new state. */
  readonly token: string;
  readonly failures: number;
  /** Infinite after a refusal: the token is not sent again. */
  readonly notBefore: number;
}

/** Renews callback tokens of workspaces before they expire; runs after each heartbeat. */
export class TokenRenewal {
  private readonly attempts = new Map<string, Attempts>();

  constructor(
    private readonly options: RenewalOptions,
    private readonly deps: {
      readonly store: WorkspaceStore;
      readonly callbacks: Pick<WorkspaceCallbacks, 'renewToken'>;
      readonly nodeToken: Pick<NodeToken, 'value'>;
      readonly log: Log;
      readonly now: () => number;
    },
  ) {}

  async run(): Promise<void> {
    for (const workspace of this.deps.store.list()) {
      if (this.isDue(workspace)) await this.renew(workspace);
    }
  }

  private isDue({ workspaceId, callbackToken }: Workspace): boolean {
    const now = this.deps.now();
    const earlier = this.attempts.get(workspaceId);
    if (earlier?.token === callbackToken && now < earlier.notBefore) return false;
    const times = jwtTimes(callbackToken);
    // An unreadable token is sent once; the response decides.
    if (!times) return true;
    return now >= times.issuedAt + this.options.ratio * (times.expiresAt - times.issuedAt);
  }

  private async renew(workspace: Workspace): Promise<void> {
    const { store, callbacks, nodeToken, log } = this.deps;
    const { workspaceId } = workspace;
    try {
      const node = { nodeId: this.options.nodeId, nodeToken: nodeToken.value };
      const { renewed, token } = await callbacks.renewToken(workspace, node);
      if (!renewed) return this.wait(workspace, this.options.retryMaxMs, 0);
      if (token === undefined) throw new Error('The response reports a renewal but contains no token');
      store.renewToken(workspace, token);
      this.attempts.delete(workspaceId);
      log.info('Callback token renewed', { workspaceId });
    } catch (error) {
      log.warn('Callback token not renewed', { workspaceId, error });
      if (isLatched(error)) return this.wait(workspace, Number.POSITIVE_INFINITY, 0);
      this.backOff(workspace);
    }
  }

  private backOff(workspace: Workspace): void {
    const earlier = this.attempts.get(workspace.workspaceId);
    const failures = earlier?.token === workspace.callbackToken ? earlier.failures + 1 : 1;
    const { retryInitialMs, retryMaxMs } = this.options;
    this.wait(workspace, Math.min(retryInitialMs * 2 ** (failures - 1), retryMaxMs), failures);
  }

  private wait({ workspaceId, callbackToken }: Workspace, delayMs: number, failures: number): void {
    const notBefore = this.deps.now() + delayMs;
    this.attempts.set(workspaceId, { token: callbackToken, failures, notBefore });
  }
}

/**
 * A refused callback token is not sent again. A refusal of the node's token ends when that token
 * is renewed.
 */
function isLatched(error: unknown): boolean {
  return error instanceof CallbackRefused && !/^NODE_CALLBACK_/.test(error.code);
}
