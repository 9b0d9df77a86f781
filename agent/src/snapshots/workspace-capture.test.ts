import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { capture } from '../../../test/integration/snapshots/capture-and-restore.js';
import { LocalWorkspace } from '../../../test/integration/snapshots/local-workspace.js';
import { ArchiveReader } from './archive.js';
import type { CaptureRequest } from './workspace-capture.js';

type Upload = CaptureRequest['upload'];

function workspace(script: string): LocalWorkspace {
  const machine = new LocalWorkspace();
  onTestFinished(() => rmSync(machine.folder, { recursive: true, force: true }));
  mkdirSync(machine.workDir);
  machine.sh(`git init -q -b main && echo one >file && git add . && git commit -qm one\n${script}`);
  return machine;
}

/** Captures into a folder. `during` runs before an upload ends. */
async function captureHere(machine: LocalWorkspace, during: Upload = async () => {}) {
  const events: string[] = [];
  const stored = new Map<string, Buffer>();
  const done = await capture(machine, {
    upload: async (artifact, object) => {
      events.push(`${artifact} begins`);
      await during(artifact, object);
      stored.set(artifact, readFileSync(object.path));
      events.push(`${artifact} ends`);
    },
  });
  return { ...done, events, stored };
}

type Captured = Awaited<ReturnType<typeof captureHere>>;

/** The text of a section of what was stored last. */
async function section({ manifest, stored }: Captured, folder: string, name: string): Promise<string> {
  const path = join(folder, 'stored');
  writeFileSync(path, stored.get('wip') ?? '');
  return (await new ArchiveReader({ wip: path }, manifest.sections, 2 ** 28).read(name)).toString('latin1');
}

it('work that changes while it is uploaded is captured again, after that upload', async () => {
  const machine = workspace('echo first >new');
  let uploads = 0;
  const captured = await captureHere(machine, async (artifact) => {
    if (artifact !== 'wip') return;
    uploads += 1;
    if (uploads > 1) return;
    machine.sh('echo second >new; echo other >other');
    await sleep(500);
  });

  expect(captured.events.filter((event) => event.startsWith('wip'))).toEqual([
    'wip begins',
    'wip ends',
    'wip begins',
    'wip ends',
  ]);
  expect(await section(captured, machine.folder, 'work/0/tree/0/files')).toMatch(/second(?:.|\n)*other/);
});

/** Runs a script in the workspace once, before the first program whose script has this text. */
function changeBefore(machine: LocalWorkspace, text: string, script: string): void {
  const open = machine.commands.open.bind(machine.commands);
  let isDone = false;
  machine.commands.open = async (workspace, program) => {
    const isNow = !isDone && program.argv.some((argument) => argument.includes(text));
    isDone ||= isNow;
    if (isNow) machine.sh(script);
    return open(workspace, program);
  };
}

const changes = [
  ['an untracked file of the same size changes', 'echo 2222 >new', ['2222']],
  ['an untracked file grows', 'seq 1 50000 >>new', ['\n50000\n']],
  ['a file is added', 'echo other >other', ['other', '1111']],
  ['a tracked file changes', 'echo two >file', ['two', '1111']],
] as const;

describe.each([
  ['after the listing, before the files are read', 'exec tar -cf - -T -'],
  ['during the listing', '\nrepository .\n'],
  ['while the files are read', 'git pack-objects'],
])('%s', (_, text) => {
  it.each(changes)('%s, the snapshot holds its last state', async (__, script, contents) => {
    const machine = workspace('echo 1111 >new; echo 3333 >third');
    changeBefore(machine, text, script);

    const files = await section(await captureHere(machine), machine.folder, 'work/0/tree/0/files');

    for (const content of [...contents, '3333']) expect(files).toContain(content);
  });

  it('a file is deleted, the snapshot does not hold it', async () => {
    const machine = workspace('echo 1111 >new; echo 3333 >third');
    changeBefore(machine, text, 'rm new');

    const files = await section(await captureHere(machine), machine.folder, 'work/0/tree/0/files');

    expect(files).toContain('3333');
    expect(files).not.toContain('1111');
  });

  it('a tracked file is deleted, the snapshot names it', async () => {
    const machine = workspace('echo 1111 >new');
    changeBefore(machine, text, 'rm file');

    const gone = await section(await captureHere(machine), machine.folder, 'work/0/tree/0/gone');

    expect(gone).toBe('./file\0');
  });

  it('a commit is made, the snapshot holds it', async () => {
    const machine = workspace('echo 1111 >new; echo 3333 >third');
    changeBefore(machine, text, 'git add new && git commit -qm two');

    const captured = await captureHere(machine);

    const [tree] = captured.manifest.repositories?.[0]?.trees ?? [];
    expect(tree?.head).toBe(machine.sh('git rev-parse HEAD').trim());
    expect(await section(captured, machine.folder, 'work/0/refs')).toContain(tree?.head);
    expect(await section(captured, machine.folder, 'work/0/tree/0/files')).not.toContain('1111');
  });
});

it('each object and section is what the manifest says', async () => {
  const machine = workspace(
    'for n in 1 2 3 4 5 6; do git worktree add -q ../wt-$n -b inner-$n && echo "of $n" >../wt-$n/own; done; echo loose >../loose',
  );
  const captured = await captureHere(machine);
  const { manifest, stored } = captured;

  for (const artifact of ['wip', 'home'] as const) {
    const object = stored.get(artifact) ?? Buffer.alloc(0);
    const sha256 = createHash('sha256').update(object).digest('hex');
    expect(manifest.artifacts[artifact]).toEqual({ sizeBytes: object.length, sha256 });
  }
  const [repository] = manifest.repositories ?? [];
  expect(repository?.trees).toHaveLength(7);
  for (const [index, { worktree }] of (repository?.trees ?? []).entries()) {
    const files = await section(captured, machine.folder, `work/0/tree/${index}/files`);
    expect([worktree, files.match(/of \d/)?.[0] ?? null]).toEqual(
      worktree === null ? [null, null] : [worktree, `of ${worktree.slice(-1)}`],
    );
  }
  expect(await section(captured, machine.folder, 'work/loose')).toContain('loose');
  expect(await section(captured, machine.folder, 'work/0/refs')).toMatch(/refs\/heads\/inner-6/);
});

it('a failed upload is thrown once nothing of the capture runs', async () => {
  const machine = workspace('echo first >new');
  const failed = captureHere(machine, async (artifact) => {
    if (artifact === 'wip') throw new Error('The store refused it');
  });

  await expect(failed).rejects.toThrow('The store refused it');
});
