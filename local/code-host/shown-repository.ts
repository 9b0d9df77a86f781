import { defaultBranch, fullNameOf, type Repository } from './directory.js';

/** A repository as the code host shows it in answers and webhooks. */
export function shownRepository(hostUrl: string, repository: Repository) {
  const { id, owner, name, isPrivate, description } = repository;
  const fullName = fullNameOf(repository);
  const url = `${hostUrl}/${fullName}`;
  return {
    id,
    name,
    full_name: fullName,
    owner: { login: owner },
    private: isPrivate,
    description,
    default_branch: defaultBranch,
    html_url: url,
    clone_url: `${url}.git`,
  };
}
