import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { spawn } from '../node/process-priority.js';
import { markedScript, WithoutEndMark } from './end-mark.js';

/** The output of a script, in chunks of this size; `cut`: without its last bytes. */
async function outputOf(text: string, { chunkBytes = 7, cut = 0, args = [] as string[] } = {}) {
  const [file = '', ...rest] = markedScript(text, args);
  const script = spawn(file, rest, { stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = new Promise<number | null>((resolve) => script.on('close', resolve));
  const printed = await buffer(script.stdout);
  const all = printed.subarray(0, printed.length - cut);
  const chunks = Array.from({ length: Math.ceil(all.length / chunkBytes) }, (_, index) =>
    all.subarray(index * chunkBytes, (index + 1) * chunkBytes),
  );
  const content = Readable.from(chunks, { objectMode: false }).pipe(new WithoutEndMark());
  const output = (await buffer(content)).toString();
  return { output, content, exitCode: await ended };
}

it.each([1, 7, 31, 10_000])(
  'gives the whole output without the mark, in chunks of %i',
  async (chunkBytes) => {
    const text = 'printf %s "$1"; seq 1 500';
    const { output, content, exitCode } = await outputOf(text, { chunkBytes, args: ['a "b" $c'] });

    expect(output).toBe(`a "b" $c${Array.from({ length: 500 }, (_, index) => `${index + 1}\n`).join('')}`);
    expect(() => content.check(exitCode)).not.toThrow();
  },
);

it.each([1, 40, 500])('finds out that %i bytes are missing although the script succeeded', async (cut) => {
  const { content, exitCode } = await outputOf('exec seq 1 500', { cut });

  expect(exitCode).toBe(0);
  expect(() => content.check(exitCode)).toThrow('cut off');
});

it('gives the output and the exit code of a script that fails', async () => {
  const { output, content, exitCode } = await outputOf('echo some; exit 3');

  expect([output, exitCode]).toEqual(['some\n', 3]);
  expect(() => content.check(exitCode)).not.toThrow();
});
