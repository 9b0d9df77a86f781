import { expect, it } from 'vitest';
import { parseStatus } from './parse-status.js';

it('parts what is staged, changed and unknown to git, and keeps odd names whole', () => {
  const text = 'M  a\0 M b c\0MM d\0R  new\0old\0?? ü\n.txt\0UU both\0 D gone\0';

  expect(parseStatus(text)).toEqual({
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
  });
});

it('leaves out a record that was cut off', () => {
  expect(parseStatus('?? a\0?? b').untracked).toEqual([{ path: 'a', status: '??' }]);
});
