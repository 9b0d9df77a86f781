import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from './run.mjs';

/**
 * Where a test may let time pass, and why no condition does instead. A path that ends with a slash
 * is a folder.
 */
const reasons: Readonly<Record<string, string>> = {
  'test/support/until.ts': 'it is the wait for a condition',
  'test/support/runner/leftovers.setup.ts': 'it waits for the end of processes, and throws what is left',
  'test/support/one-process.ts': 'it waits for the work of another process, which has its own limit',
  'test/support/delivery-fixture.ts': 'the stand-in answers with a latency',
  'test/support/acp-harness/turn.ts': 'the harness speaks at a rate',
  'test/bench/': 'a bench measures over a time',
  'test/nemesis/': 'a nemesis chooses how long a fault lasts',
  'test/adversary/code-host/mint-rate.test.ts': 'the limit counts in minutes of the clock',
  'test/e2e/task-walk.ts': 'calls of a person have a rate limit',
  'test/integration/agent/conversations.test.ts': 'viewers attach at random times',
  'test/integration/agent/terminal-input-rate.test.ts': 'a person types at a rate',
  'test/integration/agent/withstand-http.test.ts': 'a client sends slowly',
  'test/integration/local/function-places.test.ts':
    'the functions under test are slow, or wait for their siblings',
  'test/integration/local/functions-start.test.ts': 'the function under test waits for its siblings',
};

const waits =
  /\bsetTimeout\((?:resolve|done)\b|import \{[^}]*\bsetTimeout\b[^}]*\} from '(?:node:)?timers\/promises'|scheduler\.wait\(/;

const files = execFileSync(
  'git',
  ['ls-files', '-z', '--cached', '--others', '--exclude-standard', 'test/*.ts', 'test/*.mjs'],
  { cwd: root, encoding: 'utf8' },
)
  .split('\0')
  .filter((file) => file !== '');

const waitsIn = (file: string) => waits.test(readFileSync(join(root, file), 'utf8'));
const isUnder = (file: string, path: string) =>
  file === path || (path.endsWith('/') && file.startsWith(path));

it('knows a wait for a time', () => {
  expect('await new Promise((resolve) => setTimeout(resolve, 100));').toMatch(waits);
  expect("import { setTimeout as delay } from 'node:timers/promises';").toMatch(waits);
  expect("import { setImmediate } from 'node:timers/promises';").not.toMatch(waits);
});

it('tests wait for conditions, by until, but where a reason is given', () => {
  const found = files.filter(waitsIn);
  const without = found.filter((file) => !Object.keys(reasons).some((path) => isUnder(file, path)));

  expect(without).toEqual([]);
});

it('gives no reason for a file that does not wait', () => {
  const found = files.filter(waitsIn);
  const idle = Object.keys(reasons).filter((path) => !found.some((file) => isUnder(file, path)));

  expect(idle).toEqual([]);
});
