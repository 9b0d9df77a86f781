import { type GitTokenResult, gitTokenCheckSeconds } from '../../../protocol/callbacks.js';
import { CallbackRefused } from '../control-plane/callback-errors.js';
import type { Log } from '../shared/log.js';

export interface TokenQuestion {
  /** The code host has refused the token given last. */
  readonly renew: boolean;
}
export type FetchGitToken = (workspaceId: string, question: TokenQuestion) => Promise<GitTokenResult>;

export interface GitTokenTimes {
  /** After it the control plane is asked again whether the workspace's owner still has access. */
  readonly checkMs: number;
  /** For so long a refusal is repeated without asking. */
  readonly refusalMs: number;
  /** A token with less life left is not given. */
  readonly minimumLifeMs: number;
}

const usualTimes: GitTokenTimes = {
  checkMs: gitTokenCheckSeconds * 1_000,
  refusalMs: 60_000,
  minimumLifeMs: 60_000,
};

interface Known {
  held?: GitTokenResult | undefined;
  askedAt: number;
  isRefusedByHost: boolean;
  refusal?: CallbackRefused | undefined;
  /** Shared by all who wait. */
  fetching?: Promise<GitTokenResult> | undefined;
  /** When the last token that git was given ends. */
  givenUntil: number;
  timer?: NodeJS.Timeout | undefined;
}

/**
 * The git tokens of this node's workspaces, in memory. While a token that git was given lives, the control plane is
 * asked again every few minutes: it revokes the token when the workspace's owner has lost access, though a program of
 * the workspace has copied it.
 */
export class GitTokens implements Disposable {
  private readonly known = new Map<string, Known>();

  constructor(
    private readonly fetchToken: FetchGitToken,
    private readonly log: Log,
    private readonly times: GitTokenTimes = usualTimes,
  ) {}

  /**
   * A token to give to git. A held one also serves while the control plane does not answer.
   *
   * @throws CallbackRefused: the owner has no access; CallbackUnavailable
   */
  async give(workspaceId: string): Promise<GitTokenResult> {
    const known = this.of(workspaceId);
    const token = this.isFresh(known) ? known.held : await this.renewed(workspaceId, known);
    known.givenUntil = Date.parse(token.expiresAt);
    this.plan(workspaceId, known, this.times.checkMs);
    return token;
  }

  /** The code host has refused this token. */
  reject(workspaceId: string, token: string): void {
    const known = this.known.get(workspaceId);
    if (known?.held?.token === token) known.isRefusedByHost = true;
  }

  drop(workspaceId: string): void {
    clearTimeout(this.known.get(workspaceId)?.timer);
    this.known.delete(workspaceId);
  }

  [Symbol.dispose](): void {
    for (const workspaceId of [...this.known.keys()]) this.drop(workspaceId);
  }

  private of(workspaceId: string): Known {
    const known = this.known.get(workspaceId) ?? { askedAt: 0, isRefusedByHost: false, givenUntil: 0 };
    this.known.set(workspaceId, known);
    return known;
  }

  private isFresh(known: Known): known is Known & { held: GitTokenResult } {
    return this.isAlive(known) && Date.now() - known.askedAt < this.times.checkMs;
  }

  private isAlive({ held, isRefusedByHost }: Known): boolean {
    if (!held || isRefusedByHost) return false;
    return Date.parse(held.expiresAt) - Date.now() > this.times.minimumLifeMs;
  }

  private async renewed(workspaceId: string, known: Known): Promise<GitTokenResult> {
    const { refusal, askedAt } = known;
    if (refusal && Date.now() - askedAt < this.times.refusalMs) throw refusal;
    try {
      return await this.fetch(workspaceId, known);
    } catch (error) {
      const { held } = known;
      if (held && this.isAlive(known)) return held;
      throw error;
    }
  }

  private fetch(workspaceId: string, known: Known): Promise<GitTokenResult> {
    known.fetching ??= this.ask(workspaceId, known).finally(() => {
      known.fetching = undefined;
    });
    return known.fetching;
  }

  private async ask(workspaceId: string, known: Known): Promise<GitTokenResult> {
    try {
      const held = await this.fetchToken(workspaceId, { renew: known.isRefusedByHost });
      Object.assign(known, { held, askedAt: Date.now(), isRefusedByHost: false, refusal: undefined });
      return held;
    } catch (error) {
      if (error instanceof CallbackRefused)
        Object.assign(known, { held: undefined, askedAt: Date.now(), refusal: error });
      throw error;
    }
  }

  /** Asks again later, while a token that was given lives. */
  private plan(workspaceId: string, known: Known, delayMs: number): void {
    clearTimeout(known.timer);
    if (this.known.get(workspaceId) !== known) return;
    known.timer = setTimeout(() => this.check(workspaceId, known), delayMs).unref();
  }

  private check(workspaceId: string, known: Known): void {
    if (Date.now() >= known.givenUntil) return;
    this.fetch(workspaceId, known)
      .then(() => this.plan(workspaceId, known, this.times.checkMs))
      .catch((error: unknown) => {
        this.log.warn('The access of the workspace to its repository is not confirmed', {
          workspaceId,
          error,
        });
        // A refusal has revoked the token. Silence says nothing: it is asked again soon.
        if (!(error instanceof CallbackRefused)) this.plan(workspaceId, known, this.times.refusalMs);
      });
  }
}
