import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SnapshotBudget } from './snapshot-budget.js';
import { belongsToSnapshot, priorityInHome } from './snapshot-rules.js';

const file = 0o100_644;

it('never exceeds its limits, and lists every skipped entry', () => {
  const entry = fc.record({
    path: fc.string({ minLength: 1 }),
    mode: fc.constantFrom(file, 0o120_777, 0o010_644, 0o140_755),
    sizeBytes: fc.nat(200),
  });
  const limits = fc.record({ totalBytes: fc.nat(1_000), entryBytes: fc.nat(150), entries: fc.nat(10) });
  fc.assert(
    fc.property(fc.array(entry), limits, (found, allowed) => {
      const budget = new SnapshotBudget(allowed);
      const taken = budget.select(found, '~/');
      expect(taken.length + budget.skipped.length).toBe(found.length);
      expect(taken.length).toBeLessThanOrEqual(allowed.entries);
      expect(taken.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)).toBeLessThanOrEqual(
        allowed.totalBytes,
      );
      expect(
        taken.every(({ path, sizeBytes }) => sizeBytes <= allowed.entryBytes && !path.includes('\n')),
      ).toBe(true);
    }),
  );
});

it('counts all folders together', () => {
  const budget = new SnapshotBudget({ totalBytes: 10, entryBytes: 10, entries: 10 });

  budget.select([{ path: 'a', mode: file, sizeBytes: 7 }], '');
  budget.select([{ path: 'b', mode: file, sizeBytes: 7 }], '~/');

  expect(budget.skipped).toEqual([{ path: '~/b', reason: 'total_too_large', sizeBytes: 7 }]);
});

it.each([
  ['.claude/projects/x.jsonl', true],
  ['.claude/.credentials.json', false],
  ['.ssh/id_ed25519', false],
  ['.ssh', false],
  ['.sshd/config', true],
  ['app/node_modules/x', false],
  ['.codex/sessions/a', true],
  ['.codex/auth.json', false],
])('captures %s of a home: %s', (path, expected) => {
  expect(belongsToSnapshot(path)).toBe(expected);
});

it('packs the state of agents first', () => {
  expect(priorityInHome('.claude/x')).toBeLessThan(priorityInHome('Downloads/x'));
  expect(priorityInHome('.claudette')).toBe(1);
});
