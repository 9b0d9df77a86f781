import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { rings, ringsOf } from '../../test/adversary/rings.js';
import { attacksText } from '../../test/support/runner/attacks-report.js';

it('a run of attacks ends with what it tried and what held, by ring', () => {
  const text = attacksText([
    { ring: 'tokens', state: 'passed', attempts: 200 },
    { ring: 'tokens', state: 'failed', attempts: 1 },
    { ring: 'repositories', state: 'passed', attempts: 1 },
    { ring: 'repositories', state: 'skipped', attempts: 1 },
  ]);

  expect(text.split('\n').map((line) => line.trim().split(/\s+/))).toEqual([
    [''],
    ['Attacks', 'on', 'Tried', 'Attempts', 'Held', 'Broken', 'Not', 'run'],
    ['repositories', '1', '1', '1', '0', '1'],
    ['tokens', '2', '201', '1', '1', '0'],
    ['all', '3', '202', '2', '1', '1'],
    [''],
  ]);
});

it('a run without attacks says nothing of them', () => {
  expect(attacksText([])).toBe('');
});

const folder = 'test/adversary';
const files = globSync(`${folder}/**/*.test.ts`).map((path) => path.slice(folder.length + 1));

it('each file of attacks is counted in one ring', () => {
  const counted = files.map((file) => [file, ringsOf(file).length]);

  expect(counted).not.toEqual([]);
  expect(counted.filter(([, count]) => count !== 1)).toEqual([]);
});

it('each ring has files, and each of its beginnings names some', () => {
  const unused = Object.values(rings)
    .flat()
    .filter((beginning) => !files.some((file) => file.startsWith(beginning)));

  expect(unused).toEqual([]);
});

it('docs/security.md describes each ring', () => {
  const page = readFileSync('docs/security.md', 'utf8');

  expect(Object.keys(rings).filter((ring) => !page.includes(`\n| ${ring} |`))).toEqual([]);
});
