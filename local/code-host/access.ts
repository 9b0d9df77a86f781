import type { Collaborators } from './collaborators.js';
import type { Repository } from './directory.js';
import type { Grant } from './grants.js';

/** What a token may do with a repository; without one, what anybody may. */
export function accessOf(
  grant: Grant | undefined,
  repository: Repository,
  collaborators: Collaborators,
): { read: boolean; write: boolean } {
  const { owner, name, isPrivate } = repository;
  if (grant?.kind === 'installation' && grant.repositories.includes(`${owner}/${name}`))
    return { read: true, write: grant.canWrite };
  const permission = grant?.kind === 'user' ? collaborators.permissionOf(repository, grant.login) : undefined;
  return { read: !isPrivate || permission !== undefined, write: permission === 'push' };
}
