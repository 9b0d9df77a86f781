import { once } from 'node:events';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { CallbackRefused } from '../control-plane/callback-errors.js';
import { spawn } from '../node/process-priority.js';
import { Log } from '../shared/log.js';
import { CredentialServer } from './credential-server.js';
import { ghWrapper } from './gh-wrapper.js';

const folder = mkdtempSync(join(tmpdir(), 'gh-'));
const wrapper = join(folder, 'wrapper/gh');
const realFolder = join(folder, 'real');
let refusal: Error | null = null;
let host = 'github.com';
const credentials = new CredentialServer(
  async () => {
    if (refusal) throw refusal;
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const cloneUrl = `https://${host}/octo/hello.git`;
    return { token: 'short-lived', username: 'x-access-token', expiresAt, host, cloneUrl };
  },
  new Log({ level: 'error', format: 'json' }, () => undefined),
);

/** Runs `gh pr create` in a shell whose other programs must not see the token. */
async function runGh(env: Record<string, string> = {}) {
  const script = `gh pr create --title 'two words'; code=$?; echo "shell:$GH_TOKEN$GH_ENTERPRISE_TOKEN"; exit $code`;
  const path = `${join(folder, 'wrapper')}:${realFolder}:${process.env.PATH}`;
  const child = spawn('/bin/sh', ['-c', script], {
    env: { PATH: path, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = once(child, 'close');
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await closed;
  return { code, stdout, stderr };
}

beforeAll(async () => {
  mkdirSync(join(folder, 'wrapper'));
  mkdirSync(realFolder);
  writeFileSync(wrapper, ghWrapper(join(folder, 'git.sock')), { mode: 0o755 });
  const real =
    '#!/bin/sh\necho "args:$# $4 github:$GH_TOKEN host:$GH_HOST enterprise:$GH_ENTERPRISE_TOKEN"\n';
  writeFileSync(join(realFolder, 'gh'), real, { mode: 0o755 });
});

afterAll(() => credentials[Symbol.asyncDispose]());

beforeEach(async () => {
  refusal = null;
  host = 'github.com';
  await credentials.close('w');
  await credentials.open('w', folder);
});

it('gives gh the git token of the workspace, and no other process', async () => {
  expect(await runGh()).toMatchObject({
    code: 0,
    stdout: 'args:4 two words github:short-lived host: enterprise:\nshell:\n',
  });
});

it('names the code host when it is another than github.com', async () => {
  host = 'code.example.com';

  expect(await runGh()).toMatchObject({
    stdout: 'args:4 two words github: host:code.example.com enterprise:short-lived\nshell:\n',
  });
});

it('keeps a token that the person has set', async () => {
  expect((await runGh({ GH_TOKEN: 'own' })).stdout).toContain('github:own host: enterprise:\n');
});

it('prints a refusal of the control plane, and runs gh without a token', async () => {
  const reason = 'You have no access to octo/hello on the code host.';
  refusal = new CallbackRefused('/git-token', { status: 403, code: 'CODE_HOST_ACCESS_LOST', reason });

  expect(await runGh()).toMatchObject({
    stdout: 'args:4 two words github: host: enterprise:\nshell:\n',
    stderr: `${reason}\n`,
  });
});

it('says how to install gh when the workspace has none', async () => {
  const end = await runGh({ PATH: join(folder, 'wrapper') });

  expect(end).toMatchObject({ code: 127 });
  expect(end.stderr).toContain('gh is not installed in this workspace. Install it (https://cli.github.com)');
});
