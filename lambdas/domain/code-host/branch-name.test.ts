import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { BranchName } from './branch-name.js';

const names = [
  ...[
    'main',
    'svc/greet-zthcrseq',
    'renovate/@types/node-22.x',
    'a+b#1',
    'größe/修理',
    'a-',
    'HEAD/x',
    'x@y',
    '(a)',
  ],
  ...['-x', '--upload-pack=x', '/a', 'a/', 'a//b', '.a', 'a/.b', 'a.', 'a..b', 'HEAD', 'a@{1}', 'a.lock'],
  ...['a.lock/b', 'a~1', 'a^', 'a:b', 'a?', 'a*', 'a[b', 'a\\b', 'a b', 'a\tb', 'a\u007f', ''],
];

it.each(names)('agrees with git on %j', (name) => {
  const { status } = spawnSync('git', ['check-ref-format', '--branch', name]);

  expect(BranchName.safeParse(name).success).toBe(status === 0);
});

it('refuses what git takes for a word of its own', () => {
  expect(BranchName.safeParse('@').success).toBe(false);
});

it('takes 255 characters and not one more', () => {
  expect(BranchName.safeParse('x'.repeat(255)).success).toBe(true);
  expect(BranchName.safeParse('x'.repeat(256)).success).toBe(false);
});
