import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { forgetBuild, isBuilt, stampBuild } from './build-stamp.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'berth-stamp-'));
  mkdirSync(join(root, 'lambdas'));
  writeFileSync(join(root, 'lambdas/a.ts'), 'a');
});
afterEach(() => rmSync(root, { recursive: true }));

it('is built after a whole build, until a source changes', () => {
  expect(isBuilt(root)).toBe(false);
  stampBuild(root);
  expect(isBuilt(root)).toBe(true);
  writeFileSync(join(root, 'lambdas/a.ts'), 'b');

  expect(isBuilt(root)).toBe(false);
});

it('is not built after a part was built alone, also when its source was taken back', () => {
  stampBuild(root);
  forgetBuild(root);

  expect(isBuilt(root)).toBe(false);
});
