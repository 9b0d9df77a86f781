import { expect, it } from 'vitest';
import { branchChanges, uncommittedChanges } from './changes.js';

const file = (name: string) =>
  `diff --git a/${name} b/${name}\n--- a/${name}\n+++ b/${name}\n@@ -1 +1 @@\n-a\n+b\n`;
const whole = (diff: string) => ({ diff, truncated: false });
const status = {
  staged: [{ path: 's', status: 'M' }],
  unstaged: [
    { path: 'a', status: 'M' },
    { path: 'b', status: 'D' },
    { path: 'c', status: 'M' },
  ],
  untracked: [{ path: 'new', status: '??' }],
  truncated: false,
};
const listed = (changes: ReturnType<typeof branchChanges>) =>
  changes.map(({ key, kind, section }) => `${key} ${kind} ${section ? 'here' : 'later'}`);

it('lists a file once for what is staged and once for the working tree', () => {
  const changes = uncommittedChanges(status, whole(file('a') + file('s')), whole(file('s')));
  expect(listed(changes)).toEqual([
    'tree:a modified here',
    'tree:new untracked later',
    'staged:s modified here',
    'tree:s modified here',
  ]);
});

it('reads files by themselves that a diff lacks because it was cut off', () => {
  const cut = { diff: file('a') + file('b').slice(0, -5), truncated: true };
  expect(listed(uncommittedChanges(status, cut, whole('')))).toEqual([
    'tree:a modified here',
    'tree:b deleted later',
    'tree:c modified later',
    'tree:new untracked later',
  ]);
});

it('adds untracked files to the changes of the branch', () => {
  expect(listed(branchChanges(status, whole(file('z'))))).toEqual([
    'tree:new untracked later',
    'tree:z modified here',
  ]);
});
