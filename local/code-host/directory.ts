/**
 * Who and what there is on the laptop's code host. Two people, so that "somebody else's" can be tried, and a third who
 * has nothing but the right to read what one of them shares.
 */
export interface Person {
  readonly id: number;
  readonly login: string;
  readonly name: string;
  readonly email: string;
  /** Of our application on their account; null for who has not installed it. */
  readonly installationId: number | null;
}

export interface Repository {
  readonly id: number;
  readonly owner: string;
  readonly name: string;
  readonly isPrivate: boolean;
  readonly description: string;
  /** Logins that were invited to read it. */
  readonly readers: readonly string[];
}

export const application = { id: 1, slug: 'berth-laptop', clientId: 'Iv1.berthlaptop' } as const;
export const defaultBranch = 'main';

export const people: readonly Person[] = [
  { id: 1001, login: 'octo', name: 'Octo Cat', email: 'octo@example.com', installationId: 5001 },
  { id: 1002, login: 'mallory', name: 'Mallory', email: 'mallory@example.com', installationId: 5002 },
  { id: 1003, login: 'hubot', name: 'Hubot', email: 'hubot@example.com', installationId: null },
];

export const repositories: readonly Repository[] = [
  {
    id: 1,
    owner: 'octo',
    name: 'hello',
    isPrivate: false,
    description: 'A first repository to open',
    readers: ['hubot'],
  },
  { id: 2, owner: 'octo', name: 'notes', isPrivate: true, description: 'A private repository', readers: [] },
  {
    id: 3,
    owner: 'mallory',
    name: 'secrets',
    isPrivate: true,
    description: 'Nobody else may see it',
    readers: [],
  },
];

export const findPerson = (login: string) => people.find((person) => person.login === login.toLowerCase());
export const findInstallation = (id: number) => people.find(({ installationId }) => installationId === id);
export const repositoriesOf = (login: string) => repositories.filter(({ owner }) => owner === login);

/** What of an account's repositories this person was given a right on, be it their own account. */
export const repositoriesShown = (account: Person, { login }: Person) =>
  repositoriesOf(account.login).filter(({ owner, readers }) => owner === login || readers.includes(login));

/** Whose installations this person is shown: where there is at least one repository they have a right on. */
export const accountsShown = (person: Person) =>
  people.filter(
    (account) => account.installationId !== null && repositoriesShown(account, person).length > 0,
  );
export const findRepository = (owner: string, name: string) =>
  repositories.find(
    (repository) => repository.owner === owner.toLowerCase() && repository.name === name.toLowerCase(),
  );
