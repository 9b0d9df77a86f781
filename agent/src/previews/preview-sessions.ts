import { randomBytes } from 'node:crypto';
import type { SessionEnds } from '../auth/session-ends.js';

/** Whom a browser stands for, at the previews of one workspace. */
export interface PreviewSession {
  readonly workspaceId: string;
  readonly generation: number;
  readonly userId: string;
  /** Of the sign-in session with which it ends. */
  readonly sessionHash: string;
}

interface Kept extends PreviewSession {
  readonly id: string;
  readonly expiresAt: number;
}

export interface PreviewSessionOptions {
  readonly lifetimeMs: number;
  readonly limit: number;
}

/** What browsers prove by cookie, in memory only: after a restart of the agent a token is asked for again. */
export class PreviewSessions {
  /** In the order in which they began. */
  private readonly sessions = new Map<string, Kept>();

  constructor(
    private readonly options: PreviewSessionOptions,
    private readonly ends: Pick<SessionEnds, 'onEnd' | 'hasEnded'>,
    private readonly now: () => number,
  ) {
    ends.onEnd((sessionHash) => this.remove((session) => session.sessionHash === sessionHash));
  }

  /**
   * Name of the cookie, told apart by workspace because one node serves several. With the prefix no page of a sibling
   * host can set it.
   */
  static cookieName(workspaceId: string): string {
    return `__Host-vm_session_${workspaceId}`;
  }

  /**
   * The cookie to set. Somebody who comes with tokens again and again gets the same one while half of its life is left.
   * @returns null when the sign-in session has ended meanwhile
   */
  open(session: PreviewSession): string | null {
    if (this.ends.hasEnded(session.sessionHash)) return null;
    const { lifetimeMs, limit } = this.options;
    const now = this.now();
    this.remove(({ expiresAt }) => expiresAt <= now);
    const kept = this.find(session, now + lifetimeMs / 2) ?? {
      ...session,
      id: randomBytes(32).toString('hex'),
      expiresAt: now + lifetimeMs,
    };
    this.sessions.set(kept.id, kept);
    for (const id of [...this.sessions.keys()].slice(0, -limit)) this.sessions.delete(id);
    const maxAge = Math.floor((kept.expiresAt - now) / 1_000);
    const name = PreviewSessions.cookieName(session.workspaceId);
    return `${name}=${kept.id}; Path=/; Max-Age=${maxAge}; HttpOnly; Secure; SameSite=Lax`;
  }

  /** Whom the cookies of a request stand for at this workspace; cookies of other workspaces are not looked at. */
  of(cookieHeader: string | undefined, workspaceId: string): PreviewSession | null {
    const name = PreviewSessions.cookieName(workspaceId);
    for (const pair of (cookieHeader ?? '').split(';')) {
      const [key = '', value = ''] = pair.trim().split('=');
      const session = key === name ? this.sessions.get(value) : undefined;
      if (session?.workspaceId === workspaceId && session.expiresAt > this.now()) return session;
    }
    return null;
  }

  private find(session: PreviewSession, until: number): Kept | undefined {
    return [...this.sessions.values()].find(
      (kept) =>
        kept.workspaceId === session.workspaceId &&
        kept.generation === session.generation &&
        kept.userId === session.userId &&
        kept.sessionHash === session.sessionHash &&
        kept.expiresAt >= until,
    );
  }

  private remove(isOver: (session: Kept) => boolean): void {
    for (const session of this.sessions.values()) if (isOver(session)) this.sessions.delete(session.id);
  }
}
