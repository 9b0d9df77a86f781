import { expect, it } from 'vitest';
import { parseWorktrees } from './parse-worktrees.js';

it('reads branches, detached heads and folders that are gone', () => {
  const text = [
    'worktree /w/a\nHEAD 0123456789\nbranch refs/heads/feature/x\n',
    'worktree /w/b c\nHEAD abcdef0123\ndetached\n',
    'worktree /w/d\nHEAD abcdef0123\nbranch refs/heads/d\nprunable gitdir file points to non-existent location\n\n',
  ].join('\n');

  expect(parseWorktrees(text)).toEqual([
    { path: '/w/a', branch: 'feature/x', headCommit: '0123456', isPrunable: false },
    { path: '/w/b c', branch: null, headCommit: 'abcdef0', isPrunable: false },
    { path: '/w/d', branch: 'd', headCommit: 'abcdef0', isPrunable: true },
  ]);
});
