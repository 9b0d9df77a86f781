import type { SessionEnds } from '../auth/session-ends.js';

/** What services and clients have open with each other, by the sign-in session that it ends with. */
export class Exchanges implements AsyncDisposable {
  private readonly open = new Map<string, Set<() => void>>();

  constructor(ends: Pick<SessionEnds, 'onEnd'>) {
    ends.onEnd((sessionHash) => this.end(sessionHash));
  }

  /** @returns to be called when it is over by itself */
  add(sessionHash: string | null, end: () => void): () => void {
    const key = sessionHash ?? '';
    const ofSession = this.open.get(key) ?? new Set();
    this.open.set(key, ofSession.add(end));
    return () => {
      ofSession.delete(end);
      if (ofSession.size === 0 && this.open.get(key) === ofSession) this.open.delete(key);
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const sessionHash of [...this.open.keys()]) this.end(sessionHash);
  }

  private end(sessionHash: string): void {
    for (const end of [...(this.open.get(sessionHash) ?? [])]) end();
  }
}
