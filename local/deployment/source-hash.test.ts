import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { hashSources } from './source-hash.js';

const sources = ['lambdas', 'missing.json'];
const hash = (...decisions: string[]) => hashSources(root, sources, decisions);

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'berth-hash-'));
  mkdirSync(join(root, 'lambdas'));
  writeFileSync(join(root, 'lambdas/a.ts'), 'a');
});
afterEach(() => rmSync(root, { recursive: true }));

it('is the same for the same sources and decisions', () => {
  expect(hash('x')).toBe(hash('x'));
});

it('changes with a decision, a content, a name and a new file', () => {
  const seen = new Set([hash('x'), hash('y')]);
  writeFileSync(join(root, 'lambdas/a.ts'), 'b');
  seen.add(hash('x'));
  writeFileSync(join(root, 'lambdas/b.ts'), '');
  seen.add(hash('x'));
  rmSync(join(root, 'lambdas/a.ts'));
  seen.add(hash('x'));

  expect(seen.size).toBe(5);
});

it('does not change with tests, nor with what is deployed from nowhere', () => {
  const before = hash();
  writeFileSync(join(root, 'lambdas/a.test.ts'), 'test');
  mkdirSync(join(root, 'docs'));
  writeFileSync(join(root, 'docs/a.md'), 'text');

  expect(hash()).toBe(before);
});
