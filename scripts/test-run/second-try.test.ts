import { describe, expect, it } from 'vitest';
import { root } from '../run.mjs';
import type { Failure, FileOutcome } from './outcome.js';
import { planSecondTry } from './second-try.js';
import { verdictOf } from './verdict.js';

const failure = (changes: Partial<Failure> = {}): Failure => ({
  title: 'a title',
  reason: 'a reason',
  isFinal: false,
  logs: [],
  ...changes,
});
const now = { at: 0, busy: 0, total: 0 };
const file = (changes: Partial<FileOutcome> = {}): FileOutcome => ({
  ring: 'integration',
  file: 'test/integration/runner/planted-failures.test.ts',
  from: now,
  to: now,
  setUpMs: 0,
  testsMs: 0,
  passed: 1,
  skipped: 0,
  failures: [failure()],
  ...changes,
});
const plan = (...files: readonly FileOutcome[]) => planSecondTry({ files: [...files], unhandled: [] }, root);

describe('a second try', () => {
  it.each(['integration', 'clouds', 'e2e', 'e2e-alone'])('is for failed files of %s', (ring) => {
    expect(plan(file({ ring })).files).toHaveLength(1);
    expect(plan(file({ ring, failures: [] })).files).toEqual([]);
  });

  it.each<[string, Partial<FileOutcome>]>([
    ['a unit test', { ring: 'unit' }],
    ['a test on a busy table', { ring: 'busy-table' }],
    ['an attack', { ring: 'e2e', file: 'test/adversary/cloud/any.test.ts' }],
    ['a checker of a nemesis', { file: 'test/integration/nemesis/check-history.test.ts' }],
    ['a nemesis on a cloud', { ring: 'clouds', file: 'test/clouds/channels.test.ts' }],
    ['a file that left something', { failures: [failure(), failure({ isFinal: true })] }],
  ])('is not for %s', (_, changes) => {
    expect(plan(file(changes)).files).toEqual([]);
  });

  it('is refused when tests of more than three files failed', () => {
    const sequence = file({ failures: [failure(), failure(), failure(), failure()] });
    const three = [sequence, file({ ring: 'clouds' }), file({ ring: 'e2e' })];

    expect(plan(...three)).toEqual({ files: three });
    expect(plan(...three, file())).toEqual({
      files: [],
      refusal: expect.stringMatching(/^Tests of 4 files failed/),
    });
  });
});

describe('a run', () => {
  const failed = file();
  const passed = file({ failures: [], passed: 2 });
  const first = { code: 1, outcome: { files: [failed], unhandled: [] } };
  const tried = (...files: readonly FileOutcome[]) => ({
    code: files.some(({ failures }) => failures.length > 0) ? 1 : 0,
    outcome: { files: [...files], unhandled: [] },
  });

  it('is green after a second try that passed, and lists both outcomes', () => {
    expect(verdictOf(first, plan(failed), tried(passed))).toMatchObject({
      isGreen: true,
      files: [passed],
      secondTries: [{ first: failed.failures, second: [] }],
    });
  });

  it.each([
    ['whose second try failed', tried(failed)],
    ['whose second try did not run the file', tried()],
    ['whose second try has no outcome', { code: 1, outcome: undefined }],
    ['without a second try', undefined],
  ])('%s is red', (_, second) => {
    expect(verdictOf(first, plan(failed), second).isGreen).toBe(false);
  });

  it('whose exit code no test explains is red', () => {
    const noFailure = { code: 1, outcome: { files: [passed], unhandled: [] } };
    const unhandled = { code: 1, outcome: { files: [passed], unhandled: ['an error'] } };

    expect(verdictOf(noFailure, { files: [] }, undefined)).toMatchObject({
      isGreen: false,
      problems: [expect.stringContaining('exit code 1 although no test failed')],
    });
    expect(verdictOf(unhandled, { files: [] }, undefined)).toMatchObject({
      isGreen: false,
      problems: ['Outside of a test: an error'],
    });
  });
});
