import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CallbackRefused } from '../../../agent/src/control-plane/callback-errors.js';
import { type CloneOptions, cloneRepository } from '../../../agent/src/git/clone.js';
import { CredentialServer } from '../../../agent/src/git/credential-server.js';
import { credentialHelper } from '../../../agent/src/git/git-settings.js';
import { Sandbox } from '../../../agent/src/sandbox/sandbox.js';
import { Log } from '../../../agent/src/shared/log.js';
import { FakeControlPlane } from './fake-control-plane.js';

let fake: FakeControlPlane;
let foreign: FakeControlPlane;
let credentials: CredentialServer;
let folder: string;
const run = mkdtempSync(join(tmpdir(), 'clone-run-'));
const options = { folder: mkdtempSync(join(tmpdir(), 'clone-sandbox-')), userId: 59_998, isRequired: false };
let sandbox: Sandbox | null = new Sandbox(options);

const git = (where: string, ...args: string[]) =>
  execFileSync(
    'git',
    ['-C', where, '-c', 'safe.directory=*', '-c', 'user.name=t', '-c', 'user.email=t@t.example', ...args],
    {
      encoding: 'utf8',
      stdio: 'pipe',
    },
  ).trim();

/** Changes a repository of the fake by a commit on a branch. */
function commit(name: string, branch: string, change: (work: string) => void): void {
  const work = mkdtempSync(join(tmpdir(), 'clone-work-'));
  git(work, 'clone', '-q', join(fake.repositories, `${name}.git`), '.');
  git(work, 'checkout', '-q', '-B', branch);
  change(work);
  git(work, 'commit', '-q', '--allow-empty', '-m', `on ${branch}`);
  git(work, 'push', '-q', 'origin', branch);
}

beforeAll(async () => {
  if ((await sandbox?.unavailable()) !== null) sandbox = null;
  fake = await FakeControlPlane.start();
  foreign = await FakeControlPlane.start();
  fake.addRepository('parent', { 'a.txt': 'a\n', 'big.txt': 'big\n'.repeat(1_000) });
  fake.addRepository('child', { 'child.txt': 'child\n' });
  const module = (path: string, url: string) => `[submodule "${path}"]\n\tpath = ${path}\n\turl = ${url}\n`;
  const child = (name: string) => git(join(fake.repositories, `${name}.git`), 'rev-parse', 'main');
  const link = (work: string, path: string, text: string) => {
    execFileSync('sh', ['-c', 'cat > .gitmodules'], { cwd: work, input: text });
    git(work, 'add', '.gitmodules');
    git(work, 'update-index', '--add', '--cacheinfo', `160000,${child('child')},${path}`);
  };
  commit('parent', 'with-submodule', (work) => link(work, 'sub', module('sub', '../child.git')));
  commit('parent', 'with-foreign', (work) => link(work, 'sub', module('sub', foreign.cloneUrl('full'))));
  commit('parent', 'with-file', (work) =>
    link(work, 'sub', module('sub', join(fake.repositories, 'child.git'))),
  );
  const token = {
    token: fake.gitToken,
    username: 'x-access-token',
    host: new URL(fake.url).host,
    expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
    cloneUrl: fake.cloneUrl('parent'),
  };
  credentials = new CredentialServer(
    async () => token,
    new Log({ level: 'error', format: 'json' }, () => undefined),
  );
  await credentials.open('w', run);
});

afterAll(async () => {
  await credentials[Symbol.asyncDispose]();
  await fake[Symbol.asyncDispose]();
  await foreign[Symbol.asyncDispose]();
});

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'clone-'));
});

const clone = (overrides: Partial<CloneOptions> = {}) =>
  cloneRepository({
    marker: folder,
    folder,
    cloneUrl: fake.cloneUrl('parent'),
    branch: 'main',
    bases: [null],
    filter: null,
    socketPath: join(run, 'git.sock'),
    sandbox,
    limitBytes: Number.POSITIVE_INFINITY,
    signal: AbortSignal.timeout(30_000),
    ...overrides,
  });

describe('a branch that does not exist', () => {
  it.each([
    [[null], 'origin/main', 'on main'],
    [['with-submodule'], 'with-submodule', 'on with-submodule'],
    [['gone', null], 'origin/main', 'on main'],
  ])('is made from the first of %j that is', async (bases, from) => {
    const { notes } = await clone({ branch: 'new/one', bases });

    expect(notes).toEqual([`Created branch new/one from ${from}`]);
    expect(git(folder, 'branch', '--show-current')).toBe('new/one');
    expect(git(folder, 'rev-parse', 'HEAD')).toBe(
      git(folder, 'rev-parse', from === 'origin/main' ? from : `origin/${from}`),
    );
    expect(git(folder, 'config', '--get-regexp', 'remote.origin.url')).not.toContain(fake.gitToken);
    // No upstream: the first push sends the branch under its own name.
    expect(() => git(folder, 'rev-parse', '@{upstream}')).toThrow();
  });

  it('is not created from a requested base that does not exist', async () => {
    await expect(clone({ branch: 'x', bases: ['no-base'] })).rejects.toThrow(
      'no branch "x" and no branch "no-base"',
    );
  });

  it.each(['--upload-pack=x', 'a..b', '-'])('is refused as %s', async (branch) => {
    await expect(clone({ branch })).rejects.toThrow();
  });

  it('waits for the first commit of an empty repository', async () => {
    const { notes } = await clone({ branch: 'first', cloneUrl: fake.cloneUrl('empty') });

    expect(notes).toEqual(['The repository is empty']);
    expect(git(folder, 'branch', '--show-current')).toBe('first');
  });
});

describe('submodules', () => {
  it('are fetched with the credentials of their host', async () => {
    expect(await clone({ branch: 'with-submodule' })).toEqual({ notes: [] });

    expect(readFileSync(join(folder, 'sub/child.txt'), 'utf8')).toBe('child\n');
    expect(readFileSync(join(folder, '.git/modules/sub/config'), 'utf8')).not.toContain(fake.gitToken);
  });

  it('of another host are reported as not fetched, and get no credentials', async () => {
    foreign.gitToken = 'another-token';
    const { notes } = await clone({ branch: 'with-foreign' });

    expect(notes[0]).toMatch(/^Submodules were not fetched: /);
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('a\n');
    expect(foreign.gitAuthorizations.filter(Boolean)).toEqual([]);
  });

  it('cannot read files of this machine', async () => {
    const { notes } = await clone({ branch: 'with-file' });

    expect(notes[0]).toMatch(/transport 'file' not allowed|does not exist/);
    expect(existsSync(join(folder, 'sub/child.txt'))).toBe(false);
  });
});

describe('the filter', () => {
  it('leaves out objects that are not checked out, and fetches them on demand', async () => {
    commit('parent', 'history', (work) => {
      execFileSync('sh', ['-c', 'echo changed > big.txt'], { cwd: work });
      git(work, 'add', '.');
    });
    await clone({ branch: 'history', filter: 'blob:none' });

    expect(git(folder, 'config', 'remote.origin.partialclonefilter')).toBe('blob:none');
    expect(git(folder, 'rev-list', '--objects', '--missing=print', 'HEAD')).toMatch(/^\?/m);
  });

  it('is not used when it is off', async () => {
    await clone({ branch: 'history', filter: null });

    expect(git(folder, 'rev-list', '--objects', '--missing=print', 'HEAD')).not.toMatch(/^\?/m);
  });
});

describe('a workspace whose owner has no access any more', () => {
  const reason = 'You have no access to octo/notes on the code host.\u001b[2J';
  let refusing: CredentialServer;
  const socketFolder = mkdtempSync(join(tmpdir(), "it's refused "));

  beforeAll(async () => {
    const log = new Log({ level: 'error', format: 'json' }, () => undefined);
    refusing = new CredentialServer(
      () =>
        Promise.reject(
          new CallbackRefused('/git-token', { status: 403, code: 'CODE_HOST_ACCESS_LOST', reason }),
        ),
      log,
    );
    await refusing.open('w', socketFolder);
  });

  afterAll(() => refusing[Symbol.asyncDispose]());

  it('says why in the output of git', async () => {
    const helper = credentialHelper(join(socketFolder, 'git.sock'));
    const settings = ['-c', 'credential.helper=', '-c', `credential.helper=${helper}`];
    const options = { env: { PATH: process.env.PATH, GIT_TERMINAL_PROMPT: '0' } };
    // Not synchronous: the credential socket is served by this process.
    const failure = await promisify(execFile)(
      'git',
      [...settings, 'ls-remote', fake.cloneUrl('parent')],
      options,
    ).catch((error: unknown) => error);
    const { stderr } = failure as { readonly stderr: string };

    expect(stderr).toContain('You have no access to octo/notes on the code host.');
    expect(stderr).not.toContain('\u001b');
  });

  it('gets the reason when it is cloned', async () => {
    const socketPath = join(socketFolder, 'git.sock');

    await expect(clone({ socketPath })).rejects.toThrow('You have no access to octo/notes');
  });
});
