import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FakeControlPlane } from '../agent/fake-control-plane.js';
import { ReceivedUpdates, StandaloneHarnesses } from './harness-fixture.js';

describe('the files of a profile', () => {
  let fake: FakeControlPlane;

  beforeAll(async () => {
    fake = await FakeControlPlane.start();
  });

  afterAll(async () => {
    await fake[Symbol.asyncDispose]();
  });

  async function start(fixture: StandaloneHarnesses, files: readonly object[], sessionId = 'one') {
    const { workspaceId } = fixture.workspace;
    fake.next.set('runtime-assets', [{ status: 200, body: { workspaceId, envVars: [], files } }]);
    const harness = await fixture.start(new ReceivedUpdates(), { sessionId });
    await harness.stop();
  }

  const file = (path: string, content: string, isSecret = true) => ({ path, content, isSecret });

  it('are written with their modes, replaced and removed', async () => {
    const fixture = await StandaloneHarnesses.make(fake);
    const at = (path: string) => join(fixture.work, path);
    writeFileSync(at('.env'), 'of the repository');
    await start(fixture, [file('.env', 'A=1\n'), file('config/app.json', '{}', false)]);

    expect(readFileSync(at('.env'), 'utf8')).toBe('A=1\n');
    expect(statSync(at('.env')).mode & 0o777).toBe(0o600);
    expect(statSync(at('config/app.json')).mode & 0o777).toBe(0o644);

    await start(fixture, [file('.env', 'A=2\n')]);
    expect(readFileSync(at('.env'), 'utf8')).toBe('A=2\n');
    expect(existsSync(at('config/app.json'))).toBe(false);
    await start(fixture, []);
    expect(existsSync(at('.env'))).toBe(false);
  });

  it('stay while another session has them', async () => {
    const fixture = await StandaloneHarnesses.make(fake);
    await start(fixture, [file('shared', 'x')], 'one');
    await start(fixture, [file('shared', 'x')], 'two');

    await start(fixture, [], 'one');
    expect(existsSync(join(fixture.work, 'shared'))).toBe(true);
    await start(fixture, [], 'two');
    expect(existsSync(join(fixture.work, 'shared'))).toBe(false);
  });

  it('stay in the workspace, whatever their paths and links are', async () => {
    const fixture = await StandaloneHarnesses.make(fake);
    const outside = join(fixture.folder, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'target'), 'kept');
    symlinkSync(outside, join(fixture.work, 'link'));
    symlinkSync(join(outside, 'target'), join(fixture.work, 'file'));
    mkdirSync(join(fixture.work, 'folder'));
    const refused = ['../../up', '/etc/x', '~/.bashrc', '.git/config', 'link/deep/x', 'folder'];
    await start(fixture, [...refused.map((path) => file(path, 'bad')), file('file', 'good')]);

    expect(readFileSync(join(outside, 'target'), 'utf8')).toBe('kept');
    expect(lstatSync(join(fixture.work, 'file')).isFile()).toBe(true);
    for (const path of ['outside/deep', 'workspaces/up', 'home/.bashrc'])
      expect(existsSync(join(fixture.folder, path))).toBe(false);
    const [entry] = fixture.bootLogged;
    expect(entry?.message).toBe('6 files of the profile or skill are not written');
    for (const path of refused) expect(entry?.detail).toContain(`${path}: `);
  });

  it('are removed although another one cannot be written', async () => {
    const fixture = await StandaloneHarnesses.make(fake);
    await start(fixture, [file('sub/x', 'x')]);
    symlinkSync('nowhere', join(fixture.work, 'dangling'));
    await start(fixture, [file('dangling/x', 'x')]);

    expect(existsSync(join(fixture.work, 'sub/x'))).toBe(false);
    expect(fixture.bootLogged.at(-1)?.detail).toContain('dangling/x: ');
  });
});
