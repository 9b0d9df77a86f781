import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Repository } from './directory.js';

/** A reference of a repository that a push has changed. */
export interface RefChange {
  readonly ref: string;
  readonly before: string;
  readonly after: string;
}

export const noCommit = '0'.repeat(40);

/** The commits of the references of the bare repositories. */
export class Refs {
  /** Of repositories that somebody pushes to now. */
  private readonly pushed = new Map<string, { known: ReadonlyMap<string, string>; pushes: number }>();

  /** @param folder of the bare repositories */
  constructor(private readonly folder: string) {}

  /** The commit of a branch, or of a prefix of its own name. */
  commitOf(repository: Repository, name: string): string | undefined {
    const revision = /^[0-9a-f]{40}$/.test(name) ? name : `refs/heads/${name}`;
    const found = this.git(repository, ['rev-parse', '--verify', '--quiet', `${revision}^{commit}`]);
    return found || undefined;
  }

  /** Whether a branch has commits that the other one does not have. */
  isAhead(repository: Repository, branch: string, other: string): boolean {
    const range = `refs/heads/${other}..refs/heads/${branch}`;
    return this.git(repository, ['rev-list', '--max-count=1', range]) !== '';
  }

  branchAt(repository: Repository, commit: string): string | null {
    const names = this.git(repository, [
      ...['for-each-ref', '--points-at', commit],
      ...['--format=%(refname:short)', 'refs/heads'],
    ]);
    return names.split('\n')[0] || null;
  }

  /** Call the result once the push has ended: it gives what changed since the last one ended. */
  beginPush(repository: Repository): () => readonly RefChange[] {
    const key = `${repository.owner}/${repository.name}`;
    const state = this.pushed.get(key) ?? { known: this.all(repository), pushes: 0 };
    this.pushed.set(key, state);
    state.pushes += 1;
    return () => {
      const before = state.known;
      state.known = this.all(repository);
      state.pushes -= 1;
      if (state.pushes === 0) this.pushed.delete(key);
      return changesBetween(before, state.known);
    };
  }

  private all(repository: Repository): ReadonlyMap<string, string> {
    const lines = this.git(repository, ['for-each-ref', '--format=%(refname) %(objectname)']).split('\n');
    return new Map(
      lines.filter(Boolean).map((line) => {
        const [ref = '', commit = ''] = line.split(' ');
        return [ref, commit];
      }),
    );
  }

  private git({ owner, name }: Repository, args: readonly string[]): string {
    const folder = join(this.folder, owner, `${name}.git`);
    return spawnSync('git', ['-C', folder, ...args], { encoding: 'utf8' }).stdout.trim();
  }
}

function changesBetween(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly RefChange[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .map((ref) => ({ ref, before: before.get(ref) ?? noCommit, after: after.get(ref) ?? noCommit }))
    .filter((change) => change.before !== change.after);
}
