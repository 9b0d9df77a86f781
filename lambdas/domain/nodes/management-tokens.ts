import type { SigningKeys } from '../../shared/signing-keys.js';
import { type IssuedToken, issueToken } from '../tokens/issue-token.js';
import { lifetimeOf } from '../tokens/token-kinds.js';

export interface ManagementSubject {
  readonly sub: string;
  readonly node: string;
  readonly workspace: string;
}

/** A few kilobytes each, and every function serves many people. */
const maxKept = 200;
/** A node looks at a token when a request arrives, by a clock of its own. */
export const spareSeconds = 60;

/**
 * Tokens for calls to nodes. Each signature is paid for, so one is used again by this process, for the same node, workspace
 * and person, until its last minute.
 */
export class ManagementTokens {
  private readonly kept = new Map<string, IssuedToken>();

  constructor(private readonly keys: SigningKeys) {}

  async of(subject: ManagementSubject, now: Date): Promise<string> {
    const key = [subject.node, subject.workspace, subject.sub].join();
    const known = this.kept.get(key);
    if (known && isFresh(known, now)) return known.token;
    const issued = await issueToken(this.keys, 'management', { claims: { ...subject }, now });
    if (this.kept.size >= maxKept) this.kept.clear();
    this.kept.set(key, issued);
    return issued.token;
  }
}

function isFresh({ expiresAt }: IssuedToken, now: Date): boolean {
  const left = expiresAt - now.getTime() / 1_000;
  return left >= spareSeconds && left <= lifetimeOf('management');
}
