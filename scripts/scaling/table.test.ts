import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { scalingTable } from './table.js';

it('docs/scaling.md has the table that is computed from the loads', () => {
  expect(readFileSync('docs/scaling.md', 'utf8')).toContain(scalingTable());
});

it('twice the workspaces a node halve the launches', () => {
  const launches = (table: string) => /RunInstances.*\| ([\d,]+) \| Raise/.exec(table)?.[1];

  expect([launches(scalingTable(3)), launches(scalingTable(6))]).toEqual(['21,600', '43,200']);
});
