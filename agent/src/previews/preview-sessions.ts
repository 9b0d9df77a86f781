import { randomBytes } from 'node:crypto';
import type { SessionEnds } from '../auth/session-ends.js';

/** Where a browser sees a service of a workspace. */
export interface PreviewOrigin {
  readonly workspaceId: string;
  readonly port: number;
  /** At a host of the service; false: below a path of the workspace's host. */
  readonly isOwnHost: boolean;
}

/** The person of a browser, at one service of a workspace. */
export interface PreviewSession extends PreviewOrigin {
  readonly generation: number;
  readonly userId: string;
  /** Hash of the sign-in session that ends it. */
  readonly sessionHash: string;
}

interface StoredSession extends PreviewSession {
  readonly id: string;
  readonly expiresAt: number;
}

export interface PreviewSessionOptions {
  readonly lifetimeMs: number;
  readonly limit: number;
}

/** Preview sessions of browsers, in memory: after a restart of the agent a new token is needed. */
export class PreviewSessions {
  /** In order of creation. */
  private readonly sessions = new Map<string, StoredSession>();

  constructor(
    private readonly options: PreviewSessionOptions,
    private readonly ends: Pick<SessionEnds, 'onEnd' | 'hasEnded'>,
    private readonly now: () => number,
  ) {
    ends.onEnd((sessionHash) => this.remove((session) => session.sessionHash === sessionHash));
  }

  /**
   * Cookie name per service, because a host without a domain serves several. The __Host- prefix
   * keeps sibling hosts from setting it.
   */
  static cookieName({ workspaceId, port }: Pick<PreviewOrigin, 'workspaceId' | 'port'>): string {
    return `__Host-vm_session_${workspaceId}_${port}`;
  }

  /**
   * Returns the cookie to set; the same cookie while half of its lifetime is left.
   * @returns null when the sign-in session has ended
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
    const name = PreviewSessions.cookieName(session);
    return `${name}=${kept.id}; Path=/; Max-Age=${maxAge}; HttpOnly; Secure; SameSite=Lax`;
  }

  /** The session of a request's cookies at this service. */
  of(cookieHeader: string | undefined, origin: PreviewOrigin): PreviewSession | null {
    const name = PreviewSessions.cookieName(origin);
    for (const pair of (cookieHeader ?? '').split(';')) {
      const [key = '', value = ''] = pair.trim().split('=');
      const session = key === name ? this.sessions.get(value) : undefined;
      if (session && isSameOrigin(session, origin) && session.expiresAt > this.now()) return session;
    }
    return null;
  }

  private find(session: PreviewSession, until: number): StoredSession | undefined {
    return [...this.sessions.values()].find(
      (kept) =>
        isSameOrigin(kept, session) &&
        kept.generation === session.generation &&
        kept.userId === session.userId &&
        kept.sessionHash === session.sessionHash &&
        kept.expiresAt >= until,
    );
  }

  private remove(hasEnded: (session: StoredSession) => boolean): void {
    for (const session of this.sessions.values()) if (hasEnded(session)) this.sessions.delete(session.id);
  }
}

function isSameOrigin(one: PreviewOrigin, other: PreviewOrigin): boolean {
  return (
    one.workspaceId === other.workspaceId && one.port === other.port && one.isOwnHost === other.isOwnHost
  );
}
