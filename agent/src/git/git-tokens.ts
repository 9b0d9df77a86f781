import { type GitTokenResult, gitTokenCheckSeconds } from '../../../protocol/callbacks.js';
import { CallbackRefused } from '../control-plane/callback-errors.js';
import type { Log } from '../shared/log.js';

export interface TokenRequest {
  /** Whether the code host refused the last token. */
  readonly renew: boolean;
}
export type FetchGitToken = (workspaceId: string, request: TokenRequest) => Promise<GitTokenResult>;

export interface GitTokenTimes {
  /** Interval at which the control plane checks the owner's access again. */
  readonly checkMs: number;
  /** How long a refusal is repeated without a new request. */
  readonly refusalMs: number;
  /** A token that expires sooner is not handed out. */
  readonly minimumLifeMs: number;
}

const usualTimes: GitTokenTimes = {
  checkMs: gitTokenCheckSeconds * 1_000,
  refusalMs: 60_000,
  minimumLifeMs: 60_000,
};

interface TokenState {
  token?: GitTokenResult | undefined;
  requestedAt: number;
  isRefusedByHost: boolean;
  refusal?: CallbackRefused | undefined;
  /** The pending request; concurrent callers share it. */
  fetching?: Promise<GitTokenResult> | undefined;
  /** Expiry of the last token that git received. */
  givenUntil: number;
  timer?: NodeJS.Timeout | undefined;
}

/**
 * Holds the git tokens of this node's workspaces in memory. While a token that git received is
 * valid, the agent asks the control plane every few minutes again. The control plane revokes the
 * token when the workspace's owner has lost access, also when a program in the workspace has copied
 * the token.
 */
export class GitTokens implements Disposable {
  private readonly states = new Map<string, TokenState>();

  constructor(
    private readonly fetchToken: FetchGitToken,
    private readonly log: Log,
    private readonly times: GitTokenTimes = usualTimes,
  ) {}

  /**
   * Returns a token for git. A valid token is returned even when the control plane does not answer.
   *
   * @throws CallbackRefused when the owner has no access, CallbackUnavailable
   */
  async give(workspaceId: string): Promise<GitTokenResult> {
    const state = this.of(workspaceId);
    const token = this.isFresh(state) ? state.token : await this.renew(workspaceId, state);
    state.givenUntil = Date.parse(token.expiresAt);
    this.scheduleCheck(workspaceId, state, this.times.checkMs);
    return token;
  }

  /** Records that the code host refused this token. */
  reject(workspaceId: string, token: string): void {
    const state = this.states.get(workspaceId);
    if (state?.token?.token === token) state.isRefusedByHost = true;
  }

  drop(workspaceId: string): void {
    clearTimeout(this.states.get(workspaceId)?.timer);
    this.states.delete(workspaceId);
  }

  [Symbol.dispose](): void {
    for (const workspaceId of [...this.states.keys()]) this.drop(workspaceId);
  }

  private of(workspaceId: string): TokenState {
    const state = this.states.get(workspaceId) ?? { requestedAt: 0, isRefusedByHost: false, givenUntil: 0 };
    this.states.set(workspaceId, state);
    return state;
  }

  private isFresh(state: TokenState): state is TokenState & { token: GitTokenResult } {
    return this.isAlive(state) && Date.now() - state.requestedAt < this.times.checkMs;
  }

  private isAlive({ token: held, isRefusedByHost }: TokenState): boolean {
    if (!held || isRefusedByHost) return false;
    return Date.parse(held.expiresAt) - Date.now() > this.times.minimumLifeMs;
  }

  private async renew(workspaceId: string, state: TokenState): Promise<GitTokenResult> {
    const { refusal, requestedAt: askedAt } = state;
    if (refusal && Date.now() - askedAt < this.times.refusalMs) throw refusal;
    try {
      return await this.fetch(workspaceId, state);
    } catch (error) {
      const { token: held } = state;
      if (held && this.isAlive(state)) return held;
      throw error;
    }
  }

  private fetch(workspaceId: string, state: TokenState): Promise<GitTokenResult> {
    state.fetching ??= this.request(workspaceId, state).finally(() => {
      state.fetching = undefined;
    });
    return state.fetching;
  }

  private async request(workspaceId: string, state: TokenState): Promise<GitTokenResult> {
    try {
      const held = await this.fetchToken(workspaceId, { renew: state.isRefusedByHost });
      Object.assign(state, {
        token: held,
        requestedAt: Date.now(),
        isRefusedByHost: false,
        refusal: undefined,
      });
      return held;
    } catch (error) {
      if (error instanceof CallbackRefused)
        Object.assign(state, { token: undefined, requestedAt: Date.now(), refusal: error });
      throw error;
    }
  }

  /** Checks the owner's access again later, while a token that git received is valid. */
  private scheduleCheck(workspaceId: string, state: TokenState, delayMs: number): void {
    clearTimeout(state.timer);
    if (this.states.get(workspaceId) !== state) return;
    state.timer = setTimeout(() => this.check(workspaceId, state), delayMs).unref();
  }

  private check(workspaceId: string, state: TokenState): void {
    if (Date.now() >= state.givenUntil) return;
    this.fetch(workspaceId, state)
      .then(() => this.scheduleCheck(workspaceId, state, this.times.checkMs))
      .catch((error: unknown) => {
        this.log.warn('Access of the workspace to its repository was not confirmed', {
          workspaceId,
          error,
        });
        // A refusal has revoked the token. No answer means nothing: try again soon.
        if (!(error instanceof CallbackRefused)) this.scheduleCheck(workspaceId, state, this.times.refusalMs);
      });
  }
}
