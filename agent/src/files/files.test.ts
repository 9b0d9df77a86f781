import { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { readConfig } from '../config/config.js';
import type { Workspace } from '../workspaces/workspace.js';
import { Files } from './files.js';
import { WorkspaceCommands } from './workspace-commands.js';

const { files: limits } = readConfig({
  NODE_ID: '01K0000000000000000000000N',
  CONTROL_PLANE_URL: 'https://berth.example',
});
// The runner below looks at nothing of it.
const workspace = {} as Workspace;

function filesOf(output: string | readonly Buffer[]): Files {
  return new Files(
    new WorkspaceCommands({
      place: () => ({ root: '/w', workDir: '/w/repo' }),
      run: async () => ({
        stdin: new Writable(),
        stdout: Readable.from(typeof output === 'string' ? [Buffer.from(output)] : output, {
          objectMode: false,
        }),
        ended: Promise.resolve({ exitCode: 0, stderr: '' }),
      }),
    }),
    limits,
  );
}

it('fails when a file is shorter than announced', async () => {
  const range = { start: 0, length: 5, timeoutMs: 1_000 };

  const whole = await filesOf('abcde').read(workspace, { path: 'f' }, range);
  const short = await filesOf('abc').read(workspace, { path: 'f' }, range);

  await expect(text(whole)).resolves.toBe('abcde');
  await expect(text(short)).rejects.toThrow('changed');
});

it.each(['/etc', '../..', '/w2', '/'])('refuses %s by its text alone', (path) => {
  expect(() => filesOf('').absolute(workspace, { path })).toThrow('leads out');
});

it('finds names across chunk borders, and reports truncation', async () => {
  const names = ['./a/Needle.ts', './b/other.ts', './grüne-NEEDLE.md', './c/needle\nwith a break'];
  const list = `${names.join('\0')}\0`;
  const bytes = [...Buffer.from(list)].map((byte) => Buffer.of(byte));

  await expect(filesOf(list).find(workspace, { path: '.' }, 'needle')).resolves.toEqual({
    files: ['a/Needle.ts', 'c/needle\nwith a break', 'grüne-NEEDLE.md'],
    truncated: false,
  });
  await expect(filesOf(bytes).find(workspace, { path: '.' }, 'needle')).resolves.toMatchObject({
    files: { length: 3 },
  });
  await expect(filesOf('./same\0'.repeat(6_000)).find(workspace, { path: '.' }, '')).resolves.toMatchObject({
    files: { length: 5_000 },
    truncated: true,
  });
});
