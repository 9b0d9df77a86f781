import { expect, it } from 'vitest';
import { requireFew } from './capture-repositories.js';
import type { ListedRepository } from './work-listing.js';

const repository = (worktrees: number): ListedRepository => ({
  path: '.',
  folder: '/work/repo',
  checkouts: Array.from({ length: worktrees }, () => ({ worktree: null, folder: '/work/repo' }) as never),
});

it('captures 64 repositories, one of them with 128 worktrees', () => {
  const repositories = [repository(128), ...Array.from({ length: 63 }, () => repository(1))];

  expect(() => requireFew({ repositories })).not.toThrow();
});

it.each([
  ['129 worktrees', [repository(129)], 'It has 129 worktrees, and a snapshot holds at most 128'],
  [
    '65 repositories',
    Array.from({ length: 65 }, () => repository(1)),
    'It has 65 repositories, and a snapshot holds at most 64',
  ],
])('refuses %s with the reason', (_, repositories, message) => {
  expect(() => requireFew({ repositories })).toThrow(
    expect.objectContaining({ code: 'snapshot_failed', message }),
  );
});
