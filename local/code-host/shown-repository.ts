import { defaultBranch, type Repository } from './directory.js';

/** A repository as the code host shows it in answers and webhooks. */
export function shownRepository(hostUrl: string, { id, owner, name, isPrivate, description }: Repository) {
  const url = `${hostUrl}/${owner}/${name}`;
  return {
    id,
    name,
    full_name: `${owner}/${name}`,
    owner: { login: owner },
    private: isPrivate,
    description,
    default_branch: defaultBranch,
    html_url: url,
    clone_url: `${url}.git`,
  };
}
