import { expect, it } from 'vitest';
import { ringRows } from './ring-rows.js';

const at = (seconds: number) => ({ at: seconds * 1_000, busy: seconds * 50, total: seconds * 100 });
const file = {
  file: 'a.test.ts',
  setUpMs: 2_000,
  testsMs: 3_000,
  passed: 4,
  skipped: 1,
  failures: [],
};

it('a row has the time of its ring, with its set-ups apart from its tests', () => {
  const rows = ringRows(
    [
      { ring: 'e2e', part: 'set-up', from: at(10), to: at(14) },
      { ring: 'build', part: 'whole', from: at(0), to: at(9) },
    ],
    [
      { ...file, ring: 'e2e', from: at(14), to: at(20) },
      { ...file, ring: 'e2e', from: at(18), to: at(30) },
    ],
  );

  expect(rows).toMatchObject([
    { ring: 'build', wallSeconds: 9, setUpSeconds: 0, testSeconds: 0, files: 0, tests: 0 },
    { ring: 'e2e', wallSeconds: 20, setUpSeconds: 8, testSeconds: 6, files: 2, tests: 10 },
  ]);
});
