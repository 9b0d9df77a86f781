import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cloneRepository } from '../../../agent/src/git/clone.js';
import { CredentialServer } from '../../../agent/src/git/credential-server.js';
import { Sandbox } from '../../../agent/src/sandbox/sandbox.js';
import { Log } from '../../../agent/src/shared/log.js';
import { FakeControlPlane } from '../../integration/agent/fake-control-plane.js';
import { processesByCommand } from '../../support/processes-by-command.js';
import { until } from '../../support/until.js';
import { FolderWatch } from './hostile-container.js';

const mebibyte = 2 ** 20;
const limitBytes = 64 * mebibyte;
const place = { folder: mkdtempSync(join(tmpdir(), 'sandbox-')), userId: 59_998, isRequired: true };
const sandbox = new Sandbox(place);
const isHere = (await sandbox.unavailable()) === null;

/** A commit on the branch, as `git fast-import` reads it. */
const commit = (branch: string, size: number, paths: readonly string[]) =>
  Buffer.concat([
    Buffer.from(`blob\nmark :1\ndata ${size}\n`),
    // Git writes zeros as holes.
    Buffer.alloc(size, 'x'),
    Buffer.from(`\ncommit refs/heads/${branch}\ncommitter a <a@example.com> 0 +0000\ndata 0\n`),
    Buffer.from(paths.map((path) => `M 100644 :1 ${path}\n`).join('')),
  ]);

async function clone(fake: FakeControlPlane, branch: string, input: Buffer) {
  execFileSync('git', ['-C', join(fake.repositories, 'full.git'), 'fast-import', '--quiet'], { input });
  const run = mkdtempSync(join(tmpdir(), 'clone-run-'));
  const folder = mkdtempSync(join(tmpdir(), 'clone-'));
  const host = new URL(fake.url).host;
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  const token = { token: fake.gitToken, username: 'x-access-token', host, expiresAt };
  const log = new Log({ level: 'error', format: 'json' }, () => undefined);
  await using credentials = new CredentialServer(
    async () => ({ ...token, cloneUrl: fake.cloneUrl('full') }),
    log,
  );
  await credentials.open('w', run);
  using watch = new FolderWatch(folder);
  const cloned = await cloneRepository({
    ...{ marker: folder, folder, branch, sandbox, limitBytes },
    cloneUrl: fake.cloneUrl('full'),
    bases: [null],
    filter: null,
    socketPath: join(run, 'git.sock'),
    signal: AbortSignal.timeout(50_000),
  }).catch((error: unknown) => error);
  watch.look();
  await until('the end of git', () => processesByCommand(folder).length === 0 || undefined);
  rmSync(folder, { recursive: true });
  return { cloned, largestBytes: watch.largestBytes };
}

describe.skipIf(!isHere)('a clone in the sandbox (with bubblewrap)', () => {
  it.each([
    [
      'many files with one content',
      16 * mebibyte,
      Array.from({ length: 1_000 }, (_, index) => `file-${index}`),
    ],
    ['one large file', 128 * mebibyte, ['file']],
  ])('ends above the disk of its workspace: %s', async (_, size, paths) => {
    await using fake = await FakeControlPlane.start();

    const { cloned, largestBytes } = await clone(fake, 'large', commit('large', size, paths));

    expect(cloned).toMatchObject({
      name: 'GitFailed',
      message: `The files of the clone exceeded the limit of ${limitBytes} bytes`,
    });
    // A single file can be complete before the agent looks; many are stopped on the way.
    if (paths.length > 1) expect(largestBytes).toBeLessThan(paths.length * size);
  });

  it('has the files of a deep folder, which can be removed again', async () => {
    await using fake = await FakeControlPlane.start();

    const { cloned } = await clone(fake, 'deep', commit('deep', 1, [`${'d/'.repeat(1_900)}file`]));

    expect(cloned).toEqual({ notes: [] });
  });
});
