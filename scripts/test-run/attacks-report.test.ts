import { expect, it } from 'vitest';
import { attacksText } from '../../test/support/runner/attacks-report.js';

it('a run of attacks ends with what it tried and what held, by room', () => {
  const text = attacksText([
    { room: 'tokens', state: 'passed', attempts: 200 },
    { room: 'tokens', state: 'failed', attempts: 1 },
    { room: 'repositories', state: 'passed', attempts: 1 },
    { room: 'repositories', state: 'skipped', attempts: 1 },
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
