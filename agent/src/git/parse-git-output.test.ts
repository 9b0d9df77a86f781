import { expect, it } from 'vitest';
import { parseStatus, parseWorktrees } from './parse-git-output.js';

it('separates staged, changed and untracked files, with unusual names', () => {
  const text = 'M  a\0 M b c\0MM d\0R  new\0old\0?? ü\n.txt\0UU both\0 D gone\0';

  expect(parseStatus(text, 9)).toEqual({
    staged: [
      { path: 'a', status: 'M' },
      { path: 'd', status: 'M' },
      { path: 'new', status: 'R', oldPath: 'old' },
      { path: 'both', status: 'U' },
    ],
    unstaged: [
      { path: 'b c', status: 'M' },
      { path: 'd', status: 'M' },
      { path: 'both', status: 'U' },
      { path: 'gone', status: 'D' },
    ],
    untracked: [{ path: 'ü\n.txt', status: '??' }],
    truncated: false,
  });
});

it('leaves out an incomplete record', () => {
  expect(parseStatus('?? a\0?? b', 9).untracked).toEqual([{ path: 'a', status: '??' }]);
});

it('stops after as many records as the limit allows', () => {
  const { untracked, truncated } = parseStatus('?? a\0'.repeat(3), 2);

  expect([untracked.length, truncated]).toEqual([2, true]);
});

it('reads branches, detached heads and missing folders', () => {
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
