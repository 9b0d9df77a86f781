import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { keysFile, openKeys } from '../../../local/access/keys.js';

/** Requests that reached the service behind the guard, as guard-probe.py prints them. */
interface Probe {
  readonly front: readonly object[];
  readonly frontSocket: readonly object[];
  readonly other: readonly object[];
  readonly otherSocket: readonly object[];
  readonly sessions: readonly (string | null)[];
  readonly variables: readonly string[];
}

const stateDir = mkdtempSync(join(tmpdir(), 'berth-guard-'));
let probe: Probe;

beforeAll(() => {
  openKeys(stateDir);
  const printed = execFileSync(
    resolve('.berth/venv/bin/python'),
    [resolve('test/integration/local/guard-probe.py')],
    {
      cwd: 'local/emulator',
      env: { ...process.env, BERTH_KEYS_FILE: keysFile(stateDir), PYTHONDONTWRITEBYTECODE: '1' },
    },
  );
  probe = JSON.parse(printed.toString().trim().split('\n').at(-1) ?? '') as Probe;
});
afterAll(() => rmSync(stateDir, { recursive: true }));

it('lets the front reach an API, and keeps its secret from the functions behind it', () => {
  expect(probe.front).toEqual([{ type: 'http', headers: ['host'] }]);
  expect(probe.frontSocket).toEqual([{ type: 'websocket', headers: ['host'] }]);
});

it('lets nobody else reach an API', () => {
  expect([probe.other, probe.otherSocket]).toEqual([[], []]);
});

it('knows the secret of an assumed role until the role expires', () => {
  expect(probe.sessions).toEqual(['open', null, null]);
});

it('keeps the name of the file of the keys from the functions', () => {
  expect(probe.variables).toEqual([]);
});
