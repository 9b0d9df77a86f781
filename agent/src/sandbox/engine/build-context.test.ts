import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkedContext } from './build-context.js';

const hostile = 'FROM a\nADD http://x /x\n';
const harmless = 'FROM a\n';

describe('the archive of a build context', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'context-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const write = (path: string, text: string) => writeFileSync(join(folder, path), text);
  const tar = (...args: readonly string[]) => execFileSync('tar', ['-C', folder, ...args]);

  /** The Dockerfile that was checked, and the files that an engine unpacks from the new archive. */
  async function rewritten(archive: Buffer, dockerfile = 'Dockerfile') {
    const checked: string[] = [];
    // Pieces of odd sizes, as they come from a socket.
    const pieces = Array.from({ length: Math.ceil(archive.length / 700) }, (_, at) =>
      archive.subarray(at * 700, (at + 1) * 700),
    );
    const check = async (text: string) => {
      checked.push(text);
    };
    const made: Buffer[] = [];
    for await (const piece of checkedContext(Readable.from(pieces), { dockerfile, check })) made.push(piece);
    const unpacked = mkdtempSync(join(folder, 'unpacked-'));
    execFileSync('tar', ['-C', unpacked, '-x'], { input: Buffer.concat(made) });
    const read = (path: string) => execFileSync('cat', [join(unpacked, path)], { encoding: 'utf8' });
    return { checked, read };
  }

  it('keeps its files, with long names', async () => {
    const long = `${'d'.repeat(90)}/${'f'.repeat(200)}`;
    mkdirSync(join(folder, 'd'.repeat(90)));
    write(long, 'long');
    write('Dockerfile', harmless);
    write('large', 'x'.repeat(5_000));
    for (const format of ['gnu', 'pax']) {
      const { checked, read } = await rewritten(tar('-c', `--format=${format}`, 'Dockerfile', 'large', long));

      expect(checked).toEqual([harmless]);
      expect([read(long), read('large'), read('Dockerfile')]).toEqual(['long', 'x'.repeat(5_000), harmless]);
    }
  });

  it('has a Dockerfile without a frontend of its own', async () => {
    write('Dockerfile', '# syntax=x\nFROM a\n');
    const { checked, read } = await rewritten(tar('-c', 'Dockerfile'));

    expect([...checked, read('Dockerfile')]).toEqual(Array(2).fill('# ignored=syntax\nFROM a\n'));
  });

  it('has the last of several Dockerfiles checked', async () => {
    write('Dockerfile', harmless);
    tar('-cf', join(folder, 'a.tar'), 'Dockerfile');
    write('Dockerfile', hostile);
    tar('-rf', join(folder, 'a.tar'), './Dockerfile');

    const { checked, read } = await rewritten(execFileSync('cat', [join(folder, 'a.tar')]));

    expect(checked).toEqual([hostile]);
    expect(read('Dockerfile')).toBe(hostile);
  });

  it('puts the checked Dockerfile in the place of a link', async () => {
    write('Dockerfile', harmless);
    write('other', hostile);
    tar('-cf', join(folder, 'a.tar'), 'Dockerfile', 'other');
    rmSync(join(folder, 'Dockerfile'));
    symlinkSync('other', join(folder, 'Dockerfile'));
    tar('-rf', join(folder, 'a.tar'), 'Dockerfile');

    const { checked, read } = await rewritten(execFileSync('cat', [join(folder, 'a.tar')]));

    expect(checked).toEqual([harmless]);
    expect(read('Dockerfile')).toBe(harmless);
  });

  it('may end without padding, as some of the docker command', async () => {
    write('Dockerfile', harmless);

    write('a', 'last');
    const end = 2 * 512 + 512 + 'last'.length;

    const { checked, read } = await rewritten(tar('-c', 'Dockerfile', 'a').subarray(0, end));

    expect(checked).toEqual([harmless]);
    expect(read('a')).toBe('last');
  });

  it('ignores what follows its end', async () => {
    write('Dockerfile', harmless);
    const first = tar('-c', 'Dockerfile');
    write('Dockerfile', hostile);

    const { checked, read } = await rewritten(Buffer.concat([first, tar('-c', 'Dockerfile')]));

    expect(checked).toEqual([harmless]);
    expect(read('Dockerfile')).toBe(harmless);
  });

  it('stays without a Dockerfile when the Dockerfile is refused', async () => {
    write('Dockerfile', hostile);
    write('a', 'a');
    const pieces: Buffer[] = [];
    const check = () => Promise.reject(new Error('refused'));
    const context = checkedContext(Readable.from([tar('-c', 'Dockerfile', 'a')]), {
      dockerfile: 'Dockerfile',
      check,
    });

    await expect(
      (async () => {
        for await (const piece of context) pieces.push(piece);
      })(),
    ).rejects.toThrow('refused');
    expect(Buffer.concat(pieces).toString('latin1')).not.toContain('Dockerfile');
  });

  it.each([
    ['no archive', () => Buffer.from('FROM a\n'.repeat(200))],
    ['a compressed archive', () => tar('-cz', 'Dockerfile')],
    ['an archive that ends early', () => tar('-c', 'Dockerfile').subarray(0, 700)],
    ['a sparse file', () => tar('-c', '--sparse', '--hole-detection=seek', 'sparse', 'Dockerfile')],
    ['a size in an extended header', () => tar('-c', '--format=pax', '--pax-option=size:=9', 'Dockerfile')],
    ['no Dockerfile', () => tar('-c', 'other')],
  ])('with %s is refused', async (_, archive) => {
    write('Dockerfile', harmless);
    write('other', 'other');
    execFileSync('truncate', ['-s', '1M', join(folder, 'sparse')]);

    await expect(rewritten(archive())).rejects.toThrow(/archive|ends early|no Dockerfile/);
  });
});
