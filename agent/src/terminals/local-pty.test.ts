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
  pty.onData((bytes) => chunks.push(bytes));
  const exited = new Promise<PtyExit>((resolve) => pty.onExit(resolve));
  return { pty, exited, output: () => Buffer.concat(chunks) };
}

it('gives bytes as they are, a cut character too', async () => {
  const { exited, output } = run(`printf '\\303'; printf '\\251\\377'`);

  await exited;

  expect([...output()]).toEqual([0xc3, 0xa9, 0xff]);
});

it('loses nothing that was written before the end, though nobody was reading', async () => {
  const { pty, exited, output } = run('head -c 3000 /dev/zero');
  pty.pause();

  await exited;

  expect(output()).toHaveLength(3_000);
});

it.each([
  ['exit 7', { exitCode: 7, signal: null }],
  ['kill -TERM $$', { exitCode: null, signal: 15 }],
])('tells how %j ended', async (script, exit) => {
  expect(await run(script).exited).toEqual(exit);
});

it('kills what does not listen to the hang-up', async () => {
  const { pty, exited, output } = run(`trap '' HUP TERM; echo up; while :; do sleep 1; done`);
  await expect.poll(() => output().toString()).toContain('up');

  pty.kill();

  expect(await exited).toMatchObject({ signal: 9 });
});

it('gives a program that reads late all of a long input, in its order', async () => {
  const { pty, exited, output } = run(`stty raw -echo; echo up; sleep 0.3; head -c 300000 | sha1sum`);
  await expect.poll(() => output().toString()).toContain('up');
  const text = Buffer.from(Array.from({ length: 300_000 }, (_, index) => 97 + (index % 23)));

  for (let at = 0; at < text.length; at += 7_000) pty.write(text.subarray(at, at + 7_000));
  await exited;

  expect(output().toString()).toContain(createHash('sha1').update(text).digest('hex'));
});

it('is held up by no program that never reads, and ends it', async () => {
  const { pty, exited, output } = run(`stty raw -echo; echo up; while :; do sleep 1; done`);
  await expect.poll(() => output().toString()).toContain('up');

  for (let megabytes = 0; megabytes < 20; megabytes += 1) pty.write(Buffer.alloc(2 ** 20, 'x'));
  pty.kill();

  expect(await exited).toMatchObject({ exitCode: null });
});
