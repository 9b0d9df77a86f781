import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { hashSources } from './source-hash.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'berth-hash-'));
  mkdirSync(join(root, 'lambdas'));
  writeFileSync(join(root, 'lambdas/a.ts'), 'a');
});
afterEach(() => rmSync(root, { recursive: true }));

it('is the same for the same sources and decisions', () => {
  expect(hashSources(root, ['x'])).toBe(hashSources(root, ['x']));
});

it('changes with a decision, a content, a name and a new file', () => {
  const seen = new Set([hashSources(root, ['x']), hashSources(root, ['y'])]);
  writeFileSync(join(root, 'lambdas/a.ts'), 'b');
  seen.add(hashSources(root, ['x']));
  writeFileSync(join(root, 'lambdas/b.ts'), '');
  seen.add(hashSources(root, ['x']));
  rmSync(join(root, 'lambdas/a.ts'));
  seen.add(hashSources(root, ['x']));

  expect(seen.size).toBe(5);
});

it('does not change with tests, nor with what is deployed from nowhere', () => {
  const before = hashSources(root, []);
  writeFileSync(join(root, 'lambdas/a.test.ts'), 'test');
  mkdirSync(join(root, 'docs'));
  writeFileSync(join(root, 'docs/a.md'), 'text');

  expect(hashSources(root, [])).toBe(before);
});
