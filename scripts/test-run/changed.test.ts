import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { root } from '../run.mjs';
import { testsByTable } from './changed.js';
import { changedTable } from './changed-table.js';

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
}).split('\n');

describe('the table of tests by changed files', () => {
  it.each(changedTable.map(([sources, tests]) => [String(sources), sources, tests] as const))(
    'has files and tests that exist for %s',
    (_, sources, tests) => {
      expect(files.some((file) => sources.test(file))).toBe(true);
      for (const path of tests) expect(files.filter((file) => file.startsWith(path))).not.toEqual([]);
    },
  );

  it.each([
    ['lambdas/http/tasks/routes.ts', 'test/integration/edge/identity.test.ts'],
    ['state-machines/sleep-workspace/definition.asl.json', 'test/e2e/task.test.ts'],
    ['local/emulator/waiting_steps.py', 'test/integration/local/emulator.test.ts'],
    ['web/src/app/page.css', 'test/e2e/console-pages.test.ts'],
    ['docs/security.md', 'scripts/asvs-table.test.ts'],
    ['ami/bake.sh', 'test/integration/baked/baked-node.test.ts'],
  ])('of %s has %s', (changed, test) => {
    expect(testsByTable([changed], files)).toContain(test);
  });

  it('of a unit test has only the tests of all texts', () => {
    expect(testsByTable(['agent/src/files/file-scripts.test.ts'], files)).toEqual([
      'scripts/waits.test.ts',
      'scripts/words.test.ts',
    ]);
  });
});
