/**
 * Who and what there is on the laptop's code host. Two people, so that "somebody else's" can be
 * tried, and a third who has nothing but the right to read what one of them shares.
 */
export interface Person {
  readonly id: number;
  readonly login: string;
  readonly name: string;
  /** As they show it to everybody. */
  readonly email: string;
  readonly emails: readonly Email[];
  /** Of our application on their account; null for who has not installed it. */
  readonly installationId: number | null;
}

interface Email {
  readonly email: string;
  readonly primary: boolean;
  readonly verified: boolean;
}

interface Organisation {
  readonly id: number;
  readonly login: string;
  /** Logins of active members; a test may take one out. */
  readonly members: Set<string>;
  /** Logins that were invited and have not accepted. */
  readonly invited: readonly string[];
}

/** As the code host names it everywhere. */
export const fullNameOf = ({ owner, name }: Pick<Repository, 'owner' | 'name'>): string => `${owner}/${name}`;

export interface Repository {
  readonly id: number;
  readonly owner: string;
  readonly name: string;
  readonly isPrivate: boolean;
  readonly description: string;
  /** Logins that can read it until their invitation is withdrawn. */
  readonly readers: readonly string[];
  /** Logins that can also push to it. */
  readonly writers: string[];
}

export const application = { id: 1, slug: 'berth-laptop', clientId: 'Iv1.berthlaptop' } as const;
export const defaultBranch = 'main';

const address = (email: string, { primary = true, verified = true } = {}): Email => ({
  email,
  primary,
  verified,
});

/** The superadmin of the laptop cloud. */
export const superadmin: Person = {
  id: 1001,
  login: 'octo',
  name: 'Octo Cat',
  email: 'octo@example.com',
  emails: [address('octo@example.com')],
  installationId: 5001,
};

export const people: Person[] = [
  superadmin,
  {
    id: 1002,
    login: 'mallory',
    name: 'Mallory',
    email: 'mallory@example.com',
    // What the profile shows is not the primary address.
    emails: [address('mallory@elsewhere.test'), address('mallory@example.com', { primary: false })],
    installationId: 5002,
  },
  {
    id: 1003,
    login: 'hubot',
    name: 'Hubot',
    email: 'hubot@example.com',
    emails: [address('hubot@example.com', { verified: false })],
    installationId: null,
  },
];

export const organisations: readonly Organisation[] = [
  { id: 2001, login: 'Harbour', members: new Set(['octo', 'hubot']), invited: ['mallory'] },
];

export const repositories: readonly Repository[] = [
  {
    id: 1,
    owner: 'octo',
    name: 'hello',
    isPrivate: false,
    description: 'A first repository to open',
    readers: ['hubot'],
    writers: [],
  },
  {
    id: 2,
    owner: 'octo',
    name: 'notes',
    isPrivate: true,
    description: 'A private repository',
    readers: [],
    writers: [],
  },
  {
    id: 3,
    owner: 'mallory',
    name: 'secrets',
    isPrivate: true,
    description: 'Nobody else may see it',
    readers: [],
    writers: [],
  },
];

export const findPerson = (login: string) => people.find((person) => person.login === login.toLowerCase());
export const findInstallation = (id: number) => people.find(({ installationId }) => installationId === id);
export const repositoriesOf = (login: string) => repositories.filter(({ owner }) => owner === login);
export const findRepository = (owner: string, name: string) =>
  repositories.find(
    (repository) => repository.owner === owner.toLowerCase() && repository.name === name.toLowerCase(),
  );

/**
 * People of a test beside the three, who may push to whatever the superadmin has. A code host knows
 * those that were added before it starts.
 */
export function addPeople(logins: readonly string[]): void {
  for (const login of logins) {
    const email = `${login}@example.com`;
    const id = superadmin.id + people.length;
    people.push({ id, login, name: login, email, emails: [address(email)], installationId: null });
  }
  for (const { writers } of repositoriesOf(superadmin.login)) writers.push(...logins);
}
