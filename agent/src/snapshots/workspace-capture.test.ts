import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
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
  return (await new ArchiveReader({ wip: path }, manifest.sections).read(name)).toString('latin1');
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
