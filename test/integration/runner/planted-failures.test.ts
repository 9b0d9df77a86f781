import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { baseImage, hasDocker } from '../agent/docker-engine.js';

const Report = z.object({
  isGreen: z.boolean(),
  files: z.array(z.object({ ring: z.string(), failures: z.array(z.object({ reason: z.string() })) })),
  secondTries: z.array(z.object({ where: z.string(), second: z.array(z.unknown()) })),
});
const rings = ['unit', 'integration', 'clouds', 'e2e'];

/** The runner as `npm test` starts it, on four rings with one planted file each. */
function runPlanted(planted: string, ...args: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'planted-'));
  const foreign = /^(?:VITEST|BERTH_TEST_|NODE_ENV$|TEST$)/;
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
  const config = ['--config', 'test/support/runner/planted/vitest.config.ts'];
  const { status, stdout } = spawnSync(
    process.execPath,
    ['--import', 'tsx', 'scripts/test-run/main.ts', '--without-build', ...config, ...args],
    {
      encoding: 'utf8',
      env: {
        ...env,
        BERTH_TEST_RUN: folder,
        PLANTED: planted,
        PLANTED_FOLDER: folder,
        PLANTED_IMAGE: baseImage,
      },
    },
  );
  const report = Report.parse(JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')));
  const failuresIn = (ring: string) =>
    report.files.filter((file) => file.ring === ring).flatMap(({ failures }) => failures);
  return { status, lastLines: stdout.split('\n').slice(-60).join('\n'), report, failuresIn };
}

describe('the runner of the tests', () => {
  it('reports a wrong expectation of each ring, after a second try of the slow ones', () => {
    const { status, report, lastLines, failuresIn } = runPlanted('wrong');

    expect(status).toBe(1);
    for (const ring of rings)
      expect(failuresIn(ring)).toMatchObject([{ reason: expect.stringContaining('to deeply equal') }]);
    expect(report.secondTries.map(({ second }) => second.length)).toEqual([1, 1, 1]);
    expect(lastLines).toMatch(/expected: .*red/);
    expect(lastLines).toMatch(/seen: .*green/);
    expect(lastLines).toContain('| The painter ran out of red.');
    for (const ring of rings) expect(lastLines).toMatch(new RegExp(`kept: .*first-try/${ring}/`));
    expect(lastLines).toContain('Test Files  4 failed (4)');
  });

  it('lists tests that pass in their second try, in a run that is green', () => {
    const { status, lastLines } = runPlanted('coin', '--project', '!unit');

    expect(status).toBe(0);
    for (const ring of rings.slice(1)) {
      expect(lastLines).toContain(`first try failed: ${ring} `);
      expect(lastLines).toContain(`second try passed: ${ring} `);
    }
    expect(lastLines).toContain('Tests  3 passed (3)');
  });

  it('does not try unit tests again', () => {
    const { status, report } = runPlanted('coin', '--project', 'unit');

    expect(status).toBe(1);
    expect(report).toMatchObject({ isGreen: false, secondTries: [] });
  });

  it('reports a test that hangs as such, and names its process', () => {
    const { status, report, failuresIn } = runPlanted('hung');

    expect(status).toBe(1);
    expect(report.secondTries).toEqual([]);
    for (const ring of rings)
      expect(failuresIn(ring).map(({ reason }) => reason)).toEqual([
        expect.stringContaining('Test timed out in'),
        expect.stringMatching(/left behind:\nprocess \d+: sleep 600/),
      ]);
  });

  it.skipIf(!hasDocker())('names a container that a test left, and removes it', () => {
    const { status, report, failuresIn } = runPlanted('container');

    expect(status).toBe(1);
    expect(report.secondTries).toEqual([]);
    for (const ring of rings)
      expect(failuresIn(ring)).toMatchObject([
        { reason: expect.stringContaining(`left behind:\ncontainer berth-planted-${ring}`) },
      ]);
  });
});
