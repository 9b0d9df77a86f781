import type { Collaborators } from './collaborators.js';
import { fullNameOf, type Repository } from './directory.js';
import type { Grant } from './grants.js';

/** What a token may do with a repository; without one, what anybody may. */
export function accessOf(
  grant: Grant | undefined,
  repository: Repository,
  collaborators: Collaborators,
): { read: boolean; write: boolean } {
  const { isPrivate } = repository;
  if (grant?.kind === 'installation' && grant.repositories.includes(fullNameOf(repository)))
    return { read: true, write: grant.canWrite };
  const permission = grant?.kind === 'user' ? collaborators.permissionOf(repository, grant.login) : undefined;
  return { read: !isPrivate || permission !== undefined, write: permission === 'push' };
}
