import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { defaultBranch, type Repository, repositories } from './directory.js';

/**
 * Makes the bare repositories that are not there yet, each with a first commit. Work that was
 * pushed stays.
 */
export function seedRepositories(folder: string): void {
  for (const repository of repositories) {
    const target = join(folder, repository.owner, `${repository.name}.git`);
    if (!existsSync(target)) seed(repository, target);
  }
}

function seed(repository: Repository, target: string): void {
  mkdirSync(dirname(target), { recursive: true });
  const work = mkdtempSync(join(dirname(target), '.seed-'));
  const git = (...args: string[]) =>
    execFileSync(
      'git',
      [
        '-c',
        'user.name=Octo Cat',
        '-c',
        'user.email=octo@example.com',
        '-c',
        'commit.gpgsign=false',
        ...args,
      ],
      {
        cwd: work,
        stdio: 'ignore',
        env: { PATH: process.env.PATH, HOME: work, GIT_CONFIG_NOSYSTEM: '1' },
      },
    );
  try {
    git('init', '--initial-branch', defaultBranch, 'tree');
    const tree = join(work, 'tree');
    writeFileSync(join(tree, 'README.md'), `# ${repository.name}\n\n${repository.description}.\n`);
    writeFileSync(join(tree, 'hello.sh'), '#!/bin/sh\necho "Hello from $(hostname)"\n', { mode: 0o755 });
    git('-C', 'tree', 'add', '.');
    git('-C', 'tree', 'commit', '--message', 'First commit');
    git('clone', '--bare', 'tree', 'bare.git');
    git('-C', 'bare.git', 'remote', 'remove', 'origin');
    // Under its name only when it is whole: a killed seeding leaves nothing that looks done.
    renameSync(join(work, 'bare.git'), target);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
