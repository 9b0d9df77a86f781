import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { openLocalPty } from './local-pty.js';
import type { PtyExit } from './pty.js';

const size = { rows: 24, cols: 80 };
const env = { PATH: process.env.PATH ?? '' };

function run(script: string) {
  const pty = openLocalPty({ file: '/bin/sh', args: ['-c', script], cwd: tmpdir(), env, size });
  const chunks: Uint8Array[] = [];
  pty.onData((bytes) => chunks.push(Buffer.from(bytes)));
  const exited = new Promise<PtyExit>((resolve) => pty.onExit(resolve));
  return { pty, exited, output: () => Buffer.concat(chunks) };
}

it('passes bytes unchanged, incomplete characters included', async () => {
  const { exited, output } = run(`printf '\\303'; printf '\\251\\377'`);

  await exited;

  expect([...output()]).toEqual([0xc3, 0xa9, 0xff]);
});

it('delivers output written before the exit, though nobody was reading', async () => {
  const { pty, exited, output } = run('head -c 3000 /dev/zero');
  pty.pause();

  await exited;

  expect(output()).toHaveLength(3_000);
});

it('blocks a program whose output is not read, while others continue', async () => {
  const flood = run('head -c 1000000 /dev/zero');
  flood.pty.pause();
  flood.pty.resume();
  flood.pty.pause();

  const other = run('head -c 1000000 /dev/zero');
  await other.exited;
  expect(other.output()).toHaveLength(1_000_000);
  expect(flood.output().length).toBeLessThan(100_000);

  flood.pty.resume();
  await flood.exited;
  expect(flood.output()).toHaveLength(1_000_000);
});

it('ends with its shell while another program holds the terminal', async () => {
  const { exited, output } = run(`trap '' HUP; (sleep 3; echo late) & echo last; exit 3`);

  expect(await exited).toEqual({ exitCode: 3, signal: null });
  expect(output().toString()).toBe('last\r\n');
});

it('reports the exit of a shell that had closed its terminal, without using the descriptor again', async () => {
  const { pty, exited } = run(`trap '' HUP; exec <&- >&- 2>&-; sleep 0.2; exit 5`);

  expect(await exited).toEqual({ exitCode: 5, signal: null });
  expect(() => pty.resize(size)).not.toThrow();
  expect(() => pty.write(Buffer.from('x'))).not.toThrow();
});

it('sets TERM and PWD for programs', async () => {
  const { exited, output } = run('env');

  await exited;

  expect(output().toString()).toContain('TERM=xterm-256color\r\n');
  expect(output().toString()).toContain(`PWD=${tmpdir()}\r\n`);
});

it.each([
  ['exit 7', { exitCode: 7, signal: null }],
  ['kill -TERM $$', { exitCode: null, signal: 15 }],
])('reports how %j ended', async (script, exit) => {
  expect(await run(script).exited).toEqual(exit);
});

it('kills a shell that ignores SIGHUP', async () => {
  const { pty, exited, output } = run(`trap '' HUP TERM; echo up; while :; do sleep 1; done`);
  await expect.poll(() => output().toString()).toContain('up');

  pty.kill();

  expect(await exited).toMatchObject({ signal: 9 });
});

it('delivers a long input in order to a program that reads late', async () => {
  const { pty, exited, output } = run(`stty raw -echo; echo up; sleep 0.3; head -c 300000 | sha1sum`);
  await expect.poll(() => output().toString()).toContain('up');
  const text = Buffer.from(Array.from({ length: 300_000 }, (_, index) => 97 + (index % 23)));

  for (let at = 0; at < text.length; at += 7_000) pty.write(text.subarray(at, at + 7_000));
  await exited;

  expect(output().toString()).toContain(createHash('sha1').update(text).digest('hex'));
});

it('is not blocked by a program that never reads, and can end it', async () => {
  const { pty, exited, output } = run(`stty raw -echo; echo up; while :; do sleep 1; done`);
  await expect.poll(() => output().toString()).toContain('up');

  for (let megabytes = 0; megabytes < 20; megabytes += 1) pty.write(Buffer.alloc(2 ** 20, 'x'));
  pty.kill();

  expect(await exited).toMatchObject({ exitCode: null });
});
