import { rmSync } from 'node:fs';
import { Readable } from 'node:stream';
import { expect, it, onTestFinished } from 'vitest';
import { LocalWorkspace } from '../../../test/integration/snapshots/local-workspace.js';
import { WorkspaceShell } from './workspace-shell.js';

/** Several: the engine or the kernel may report the end of the input before that of the output. */
const scripts = Array.from({ length: 10 }, (_, index) => index);
const output = 60_000;

function shell() {
  const machine = new LocalWorkspace();
  onTestFinished(() => rmSync(machine.folder, { recursive: true, force: true }));
  const { commands, workspace, root: workDir } = machine;
  return { workDir, shell: new WorkspaceShell(commands, workspace, AbortSignal.timeout(60_000)) };
}

const endlessInput = () =>
  new Readable({
    read() {
      this.push(Buffer.alloc(65_536));
    },
  });

it.each(scripts)('a script that leaves a part of its input succeeds (%i)', async () => {
  const { workDir, shell: own } = shell();
  const text = `head -c 1 >/dev/null; head -c ${output} /dev/zero`;

  const printed = await own.read({ text, workDir, input: endlessInput() });

  expect(printed).toHaveLength(output);
});

it('a script whose input fails has that reason', async () => {
  const { workDir, shell: own } = shell();
  const input = new Readable({ read: () => undefined });
  const read = own.read({ text: 'cat', workDir, input });

  input.push('first');
  input.destroy(new Error('The input is damaged'));

  await expect(read).rejects.toThrow('The input is damaged');
});
