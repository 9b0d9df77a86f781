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

/**
 * Tokens for calls to nodes. Each signature is paid for, so one is used again by this process, for the same node, workspace
 * and person, until half of its life is over: what is left is longer than any call.
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
  const life = lifetimeOf('management');
  return left >= life / 2 && left <= life;
}
