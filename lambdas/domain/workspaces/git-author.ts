import type { User } from '../users/user.js';
import type { Workspace } from './workspace.js';

/** Who the commits of a person's workspace are by. */
export function gitAuthorOf({ name, login, email, githubId }: User): NonNullable<Workspace['gitAuthor']> {
  const address = email ?? `${githubId}+${login}@users.noreply.github.com`;
  return { name: (name || login).slice(0, 254), email: address.slice(0, 254) };
}
