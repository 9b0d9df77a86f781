import { expect, it } from 'vitest';
import { pathTree } from './path-tree.js';

it('joins folders that hold nothing else', () => {
  const tree = pathTree([
    ['README.md', 1],
    ['src/app/a.ts', 2],
    ['src/app/b.ts', 3],
    ['docs/x.md', 4],
  ]);
  expect(tree.items).toEqual([['README.md', 1]]);
  expect(tree.folders.map(({ name, items }) => [name, items.map(([file]) => file)])).toEqual([
    ['src/app', ['a.ts', 'b.ts']],
    ['docs', ['x.md']],
  ]);
});
