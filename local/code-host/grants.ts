import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import * as z from 'zod/mini';

const StoredGrant = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('user'), login: z.string(), expiresAt: z.number() }),
  z.object({ kind: z.literal('refresh'), login: z.string(), expiresAt: z.number() }),
  z.object({
    kind: z.literal('installation'),
    installationId: z.number(),
    repositories: z.array(z.string()),
    canWrite: z.boolean(),
    expiresAt: z.number(),
  }),
]);
export type Grant = z.infer<typeof StoredGrant>;

export const lifetimeSeconds = {
  user: 8 * 60 * 60,
  refresh: 182 * 24 * 60 * 60,
  installation: 60 * 60,
} as const;
const prefixes = { user: 'ghu_', refresh: 'ghr_', installation: 'ghs_' } as const;

/**
 * The tokens given out, by their hash, kept on disk: a second `npm start` must know those of the
 * first.
 */
export class Grants {
  private readonly grants: Map<string, Grant>;

  constructor(
    private readonly file: string,
    private readonly now: () => number = Date.now,
  ) {
    const stored = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
    this.grants = new Map(Object.entries(z.record(z.string(), StoredGrant).parse(stored)));
  }

  issue(grant: Grant): string {
    const token = prefixes[grant.kind] + randomBytes(27).toString('base64url');
    this.grants.set(hash(token), grant);
    this.save();
    return token;
  }

  find(token: string): Grant | undefined {
    const grant = this.grants.get(hash(token));
    return grant && grant.expiresAt > this.now() ? grant : undefined;
  }

  revoke(token: string): void {
    if (this.grants.delete(hash(token))) this.save();
  }

  expiry(kind: Grant['kind']): number {
    return this.now() + lifetimeSeconds[kind] * 1000;
  }

  private save(): void {
    for (const [key, { expiresAt }] of this.grants) if (expiresAt <= this.now()) this.grants.delete(key);
    writeFileSync(`${this.file}.new`, JSON.stringify(Object.fromEntries(this.grants)), { mode: 0o600 });
    renameSync(`${this.file}.new`, this.file);
  }
}

const hash = (token: string) => createHash('sha256').update(token).digest('hex');
