import { lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { ulid } from 'ulid';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DockerEngine } from '../../../agent/src/workspaces/container/docker-engine.js';
import { readVolume } from '../../../agent/src/workspaces/container/read-volume.js';
import { baseImage, docker, hasDocker } from '../../integration/agent/docker-engine.js';
import { FolderWatch } from './hostile-container.js';

const mebibyte = 2 ** 20;

describe.skipIf(!hasDocker())('the copy of a repository folder for a rebuild', () => {
  let volume: string;
  let to: string;

  beforeEach(() => {
    volume = `svc-hostile-${ulid().toLowerCase()}`;
    to = mkdtempSync(join(tmpdir(), 'copied-'));
    docker('volume', 'create', volume);
  });
  afterEach(() => {
    docker('volume', 'rm', '-f', volume);
    rmSync(to, { recursive: true, force: true });
  });

  /** As root of the workspace. */
  const make = (script: string) =>
    docker(
      ...['run', '--rm', '-v', `${volume}:/workspaces`, baseImage, 'sh', '-c'],
      `mkdir -p /workspaces/repo && cd /workspaces/repo && ${script}`,
    );
  const copy = (limitBytes = 8_192 * mebibyte) =>
    readVolume(new DockerEngine(new Docker()), {
      ...{ volume, to, limitBytes },
      from: '/workspaces/repo',
      objectLabels: {},
    });

  it('keeps holes as holes', async () => {
    make('truncate -s 256M sparse && echo end >>sparse');
    using watch = new FolderWatch(to);

    expect(await copy()).toEqual({ repository: to });

    expect(lstatSync(join(to, 'sparse')).size).toBe(256 * mebibyte + 4);
    watch.look();
    expect(watch.largestBytes).toBeLessThan(mebibyte);
  });

  it.each([
    ['a file with a hole', 'truncate -s 3G sparse'],
    ['a file of zeros beyond any disk', 'truncate -s 4T sparse'],
    ['a large file', 'head -c 12M /dev/urandom >large'],
    ['many empty files', 'seq 1 2100 | xargs touch'],
  ])('is refused above the limit, with the reason: %s', async (_, script) => {
    make(script);
    using watch = new FolderWatch(to);

    const copied = await copy(8 * mebibyte);

    const message = `The files of the repository folder exceeded the limit of ${8 * mebibyte} bytes`;
    expect(copied).toMatchObject({ repository: null, refusal: { code: 'payload_too_large', message } });
    expect(watch.largestBytes).toBeLessThanOrEqual(8 * mebibyte);
    expect(docker('ps', '-aq', '--filter', `name=${volume}`)).toBe('');
  });

  it('has no device, no pipe, and no permission beyond those of its users', async () => {
    make(
      'cp /bin/true setuid && chmod 6755 setuid && mkdir -m 3777 shared && mkfifo shared/pipe' +
        ' && mknod null c 1 3 && mknod disk b 8 0 && chmod 666 null',
    );

    expect(await copy()).toEqual({ repository: to });

    expect(readdirSync(to, { recursive: true }).map(String).sort()).toEqual(['setuid', 'shared']);
    expect(lstatSync(join(to, 'setuid')).mode & 0o7777).toBe(0o755);
    expect(lstatSync(join(to, 'shared')).mode & 0o7777).toBe(0o777);
  });

  it('has the contents, links and times of everything else', async () => {
    const long = `${'long-'.repeat(40)}name`;
    make(
      `mkdir -p a/b && echo text >a/b/file && chmod 640 a/b/file && touch -d @1000000000 a/b/file && ln a/b/file a/same` +
        ` && ln -s ../../../etc/passwd a/link && mkdir ${long} && echo deep >${long}/${long} && echo ä >'ä b' && chmod 500 a/b`,
    );

    expect(await copy()).toEqual({ repository: to });

    const file = lstatSync(join(to, 'a/b/file'));
    expect(readFileSync(join(to, 'a/b/file'), 'utf8')).toBe('text\n');
    expect([file.mode & 0o7777, file.mtimeMs, file.nlink]).toEqual([0o640, 1_000_000_000_000, 2]);
    expect(lstatSync(join(to, 'a/same')).ino).toBe(file.ino);
    expect(readlinkSync(join(to, 'a/link'))).toBe('../../../etc/passwd');
    expect(readFileSync(join(to, long, long), 'utf8')).toBe('deep\n');
    expect(readFileSync(join(to, 'ä b'), 'utf8')).toBe('ä\n');
  });
});
