import { expect, it } from 'vitest';
import type { NodeQuery } from '../workspaces/use-node.js';
import { unpushedWork } from './unpushed.js';

const clean = { staged: [], unstaged: [], untracked: [], truncated: false };
const entry = { path: 'a', status: 'M' };

const nodeWith = (isRemote: boolean, diff: string) => {
  const bases: unknown[] = [];
  const read = async <T>({ path, query, reads }: NodeQuery<T>): Promise<T> => {
    if (query?.base) bases.push(query.base);
    const answer =
      path === 'git/branches'
        ? { branches: [{ name: 'work', isCurrent: true, isRemote }] }
        : { filePath: null, diff, truncated: false };
    const parsed = reads.safeParse(answer);
    if (!parsed.success) throw new Error('unexpected');
    return parsed.data;
  };
  return { read, bases };
};

it('says nothing when all is pushed', async () => {
  const { read, bases } = nodeWith(true, '');
  expect(await unpushedWork(read, clean, 'main')).toEqual([]);
  expect(bases).toEqual(['origin/work']);
});

it('finds commits that the code host lacks', async () => {
  const { read, bases } = nodeWith(false, 'diff --git a/x b/x\n');
  expect(await unpushedWork(read, clean, 'main')).toEqual(['Commits of work are not pushed.']);
  expect(bases).toEqual(['origin/main']);
});

it('counts each file with changes once', async () => {
  const status = { ...clean, staged: [entry], unstaged: [entry], untracked: [{ path: 'b', status: '??' }] };
  expect(await unpushedWork(nodeWith(true, 'x').read, status, 'main')).toEqual([
    '2 files have changes that are not committed.',
  ]);
});
