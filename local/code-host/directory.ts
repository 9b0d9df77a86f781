/** Who and what there is on the laptop's code host. Two people, so that "somebody else's" can be tried. */
export interface Person {
  readonly id: number;
  readonly login: string;
  readonly name: string;
  readonly email: string;
  readonly installationId: number;
}

export interface Repository {
  readonly id: number;
  readonly owner: string;
  readonly name: string;
  readonly isPrivate: boolean;
  readonly description: string;
}

export const application = { id: 1, slug: 'berth-laptop', clientId: 'Iv1.berthlaptop' } as const;
export const defaultBranch = 'main';

export const people: readonly Person[] = [
  { id: 1001, login: 'octo', name: 'Octo Cat', email: 'octo@example.com', installationId: 5001 },
  { id: 1002, login: 'mallory', name: 'Mallory', email: 'mallory@example.com', installationId: 5002 },
];

export const repositories: readonly Repository[] = [
  { id: 1, owner: 'octo', name: 'hello', isPrivate: false, description: 'A first repository to open' },
  { id: 2, owner: 'octo', name: 'notes', isPrivate: true, description: 'A private repository' },
  { id: 3, owner: 'mallory', name: 'secrets', isPrivate: true, description: 'Nobody else may see it' },
];

export const findPerson = (login: string) => people.find((person) => person.login === login.toLowerCase());
export const findInstallation = (id: number) => people.find(({ installationId }) => installationId === id);
export const repositoriesOf = (login: string) => repositories.filter(({ owner }) => owner === login);
export const findRepository = (owner: string, name: string) =>
  repositories.find(
    (repository) => repository.owner === owner.toLowerCase() && repository.name === name.toLowerCase(),
  );
