import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { SealedSecret, type SecretBox, type SecretContext } from '../secrets/sealed-secret.js';
import type { Workspace } from '../workspaces/workspace.js';
import { RepositoryPermission } from './code-host.js';
import type { GitToken } from './mint-git-token.js';

/**
 * The latest git token of a workspace, sealed; reused until shortly before its expiry or
 * revocation.
 */
export const StoredGitToken = z.object({
  workspaceId: Ulid,
  token: SealedSecret,
  permission: RepositoryPermission,
  tokenExpiresAt: z.iso.datetime(),
  /** Distinguishes one token from the next. */
  mintedAt: z.iso.datetime(),
});
export type StoredGitToken = z.infer<typeof StoredGitToken>;

export const gitTokenKey = (workspaceId: string) => ({ pk: `WORKSPACE#${workspaceId}`, sk: 'GIT-TOKEN' });

export const gitTokenItem = (stored: StoredGitToken) => ({
  ...gitTokenKey(stored.workspaceId),
  entity: 'git-token',
  schemaVersion: 1,
  ...stored,
  expiresAt: Math.ceil(Date.parse(stored.tokenExpiresAt) / 1000),
});

type Owned = Pick<Workspace, 'workspaceId' | 'userId'>;

const gitTokenContext = ({ workspaceId, userId }: Owned): SecretContext => ({
  owner: userId,
  record: `git-token#${workspaceId}`,
});

/** Replaced this long before its end, so that a long fetch or push can finish with it. */
const renewalMarginMs = 10 * 60_000;

/** Whether a stored token has exactly this permission and does not expire soon. */
export function isGitTokenUsable(
  stored: StoredGitToken | undefined,
  permission: RepositoryPermission,
  now: Date,
): stored is StoredGitToken {
  if (stored?.permission !== permission) return false;
  return Date.parse(stored.tokenExpiresAt) - now.getTime() > renewalMarginMs;
}

export async function sealGitToken(
  secrets: SecretBox,
  { workspaceId, userId }: Owned,
  minted: GitToken & { readonly permission: RepositoryPermission; readonly now: Date },
): Promise<StoredGitToken> {
  const { token, expiresAt, permission, now } = minted;
  return {
    workspaceId,
    token: await secrets.seal(token, gitTokenContext({ workspaceId, userId })),
    permission,
    tokenExpiresAt: new Date(expiresAt).toISOString(),
    mintedAt: now.toISOString(),
  };
}

export async function openGitToken(
  secrets: SecretBox,
  owned: Owned,
  { token, tokenExpiresAt }: StoredGitToken,
): Promise<GitToken> {
  return { token: await secrets.open(token, gitTokenContext(owned)), expiresAt: tokenExpiresAt };
}
