import { NotFound, Unavailable } from '../../shared/errors.js';
import { countRequest } from '../rate-limits/count-request.js';
import { rateLimits } from '../rate-limits/rate-limits.js';
import type { Write } from '../records/transact.js';
import { StaleGeneration } from '../workspaces/errors.js';
import { type Workspace, workspaceKey } from '../workspaces/workspace.js';
import { checkRepository, isRepositoryChecked, type RepositoryCheck } from './check-repository.js';
import { endGitToken, revokeStored, tryToRevoke } from './end-git-tokens.js';
import { CodeHostAccessLost } from './errors.js';
import {
  gitTokenItem,
  isGitTokenUsable,
  openGitToken,
  type StoredGitToken,
  sealGitToken,
} from './git-token.js';
import type { Grant } from './grant.js';
import { type GitToken, mintGitToken } from './mint-git-token.js';
import type { UserTokenSource } from './open-user-token.js';
import { transactWithGrant } from './transact-with-grant.js';

interface GitTokenQuestion {
  readonly workspace: Workspace;
  readonly stored: StoredGitToken | undefined;
  /** Of the workspace's owner. */
  readonly grant: Grant | undefined;
  /** The code host has refused the stored one. */
  readonly isRefused: boolean;
  readonly now: Date;
}

/**
 * A git token for the workspace's repository that can do what the workspace's owner can do there
 * now. While the last check counts and the stored token lives, that one, without a table call.
 * Otherwise the code host is asked, once a minute of each generation; four table calls with the two
 * that found the workspace and its owner.
 *
 * @throws {CodeHostAccessLost} the owner has no access any more; the stored token is revoked
 * @throws {RateLimited | CodeHostUnavailable | NotFound | StaleGeneration}
 */

// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one branch for each kind of request
export async function giveGitToken(source: UserTokenSource, question: GitTokenQuestion): Promise<GitToken> {
  const { workspace, stored, isRefused, now } = question;
  const { repositoryPermission = 'read' } = workspace;
  const isChecked = isRepositoryChecked(workspace, now);
  if (isChecked && !isRefused && isGitTokenUsable(stored, repositoryPermission, now))
    return openGitToken(source.secrets, workspace, stored);

  await countRequest(source.table, rateLimits.GIT_TOKEN, { id: countedAs(workspace), now });
  const { check, renewed } = isChecked ? { check: {}, renewed: undefined } : await recheck(source, question);
  const permission = check.repositoryPermission ?? repositoryPermission;
  if (!isRefused && isGitTokenUsable(stored, permission, now)) {
    await keep(source, { workspace, check, renewed });
    return openGitToken(source.secrets, workspace, stored);
  }
  const minted = await mint(source, workspace, { permission, now });
  const next = await sealGitToken(source.secrets, workspace, { ...minted, permission, now });
  await keep(source, { workspace, check, renewed, replaced: { stored, next, token: minted.token } });
  const isNarrower = stored?.permission === 'write' && permission === 'read';
  if (stored && (isRefused || isNarrower)) await revokeStored(source, workspace, stored);
  return { token: minted.token, expiresAt: next.tokenExpiresAt };
}

/** A restart or a wake on another node clones again, and does not wait for the next minute. */
export const countedAs = ({ workspaceId, generation }: Pick<Workspace, 'workspaceId' | 'generation'>) =>
  `${workspaceId}.${generation}`;

/** @throws {CodeHostAccessLost} and then the code host takes the stored token no more */
async function recheck(source: UserTokenSource, { workspace, stored, grant, now }: GitTokenQuestion) {
  const repository = workspace.repository ?? '';
  try {
    return await checkRepository(source, { grant, repository, now });
  } catch (error) {
    if (error instanceof CodeHostAccessLost && stored) await endGitToken(source, workspace, stored);
    throw error;
  }
}

async function mint(
  { codeHost }: UserTokenSource,
  { installationId, repository }: Workspace,
  asked: Pick<Parameters<typeof mintGitToken>[1], 'permission' | 'now'>,
): Promise<GitToken> {
  if (!installationId || !repository) throw new NotFound('Repository of the workspace');
  return mintGitToken(codeHost, { installationId, repository, ...asked });
}

interface Kept {
  readonly workspace: Workspace;
  readonly check: Partial<RepositoryCheck>;
  readonly renewed: Grant | undefined;
  readonly replaced?: {
    readonly stored: StoredGitToken | undefined;
    readonly next: StoredGitToken;
    readonly token: string;
  };
}

/** Stores the check and the token, if the workspace's generation and token are unchanged. */
async function keep(source: UserTokenSource, { workspace, check, renewed, replaced }: Kept): Promise<void> {
  const { workspaceId, generation } = workspace;
  const life = { exists: true, equals: { generation } };
  const key = workspaceKey(workspaceId);
  const writes: Write[] = [
    check.repositoryCheckedAt ? { update: { key, set: check, when: life } } : { check: key, when: life },
    ...(replaced ? [{ put: gitTokenItem(replaced.next), when: unchanged(replaced.stored) }] : []),
  ];
  const outcome = await transactWithGrant(source.table, writes, renewed);
  if (outcome.committed) return;
  // Nobody remembers this token: it must not live on.
  if (replaced) await tryToRevoke(source.codeHost, async () => replaced.token);
  if (outcome.refusals[0]?.failed) throw new StaleGeneration(workspaceId, generation);
  throw new Unavailable('Another request was given a token at this moment; try again');
}

const unchanged = (stored: StoredGitToken | undefined) =>
  stored ? { equals: { mintedAt: stored.mintedAt } } : { exists: false };
