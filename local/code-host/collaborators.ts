import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import * as z from 'zod/mini';
import {
  fullNameOf,
  type Person,
  people,
  type Repository,
  repositories,
  repositoriesOf,
} from './directory.js';

const Permission = z.enum(['pull', 'push']);
type Permission = z.infer<typeof Permission>;

const Stored = z.record(z.string(), z.record(z.string(), Permission));
type Stored = z.infer<typeof Stored>;

/** The collaborators of repositories, kept on disk. Begins with those of the directory. */
export class Collaborators {
  private readonly invited: Stored;

  constructor(private readonly file: string) {
    this.invited = existsSync(file) ? Stored.parse(JSON.parse(readFileSync(file, 'utf8'))) : initial();
  }

  permissionOf(repository: Repository, login: string): Permission | undefined {
    if (repository.owner === login) return 'push';
    return this.invited[fullNameOf(repository)]?.[login];
  }

  invite(repository: Repository, login: string, permission: Permission): void {
    this.invited[fullNameOf(repository)] = { ...this.invited[fullNameOf(repository)], [login]: permission };
    this.save();
  }

  remove(repository: Repository, login: string): void {
    delete this.invited[fullNameOf(repository)]?.[login];
    this.save();
  }

  /**
   * What of an account's repositories this person was given a right on, be it their own account.
   */
  repositoriesShown(account: Person, { login }: Person): readonly Repository[] {
    return repositoriesOf(account.login).filter((repository) => this.permissionOf(repository, login));
  }

  /**
   * Whose installations this person is shown: where there is at least one repository they have a
   * right on.
   */
  accountsShown(person: Person): readonly Person[] {
    return people.filter(
      (account) => account.installationId !== null && this.repositoriesShown(account, person).length > 0,
    );
  }

  private save(): void {
    writeFileSync(`${this.file}.new`, JSON.stringify(this.invited), { mode: 0o600 });
    renameSync(`${this.file}.new`, this.file);
  }
}

const initial = (): Stored =>
  Object.fromEntries(
    repositories.map((repository) => [
      fullNameOf(repository),
      Object.fromEntries<Permission>([
        ...repository.readers.map((login) => [login, 'pull'] as const),
        ...repository.writers.map((login) => [login, 'push'] as const),
      ]),
    ]),
  );
