import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { raiseMarkingThresholds } from '../../agent/src/node/garbage-collection.js';
import type { SnapshotManifest } from '../../protocol/snapshots.js';
import { captureInto, restoreFrom } from '../integration/snapshots/capture-and-restore.js';
import { LocalWorkspace } from '../integration/snapshots/local-workspace.js';

const rounds = 10;
const restoreRounds = 5;
const work = 100_000_000;
const largestFile = 5_000_000;
const packages = fileURLToPath(new URL('../../node_modules', import.meta.url));

export interface CaptureFigures {
  readonly megabytes: number;
  readonly captures: readonly Round[];
  readonly restores: readonly Round[];
}

/** The same work by the agent's code, and by `tar` with `zstd`. */
interface Round {
  readonly archiveMs: number;
  readonly agentMs: number;
}

/**
 * Measures the captures and restores of `capture.ts` in its own process, because the start of a
 * program copies the page table, and no agent has the memory of a bench. Each round measures both,
 * in turns in either order. The first one fills the page cache and is not counted. Sends the
 * figures to its parent.
 */
async function measureAll(): Promise<CaptureFigures> {
  // As the agent does at its start: the streams of a capture are external memory.
  raiseMarkingThresholds();
  await using store = await StoreProcess.start();
  const machine = clonedWorkspace();
  fill(machine.workDir);
  const captures: Round[] = [];
  for (let round = 0; round <= rounds; round += 1) captures.push(await measureRound(store, machine, round));
  // Afterwards: the kernel writes what a restore has unpacked while the next capture reads.
  const restores = await measureRestores(store, machine);
  rmSync(machine.folder, { recursive: true, force: true });
  return { megabytes: work / 1e6, captures: captures.slice(1), restores };
}

/** Runs `object-store-program.ts`. */
class StoreProcess implements AsyncDisposable {
  private constructor(
    private readonly program: ReturnType<typeof fork>,
    private readonly address: URL,
  ) {}

  static async start(): Promise<StoreProcess> {
    const program = fork(fileURLToPath(new URL('object-store-program.ts', import.meta.url)));
    const [address] = await once(program, 'message');
    return new StoreProcess(program, new URL(address));
  }

  url(name: string): string {
    return new URL(name, this.address).href;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.program, 'exit');
    this.program.disconnect();
    await ended;
  }
}

async function measureRound(store: StoreProcess, machine: LocalWorkspace, round: number): Promise<Round> {
  // Deletes the archive, as a capture does: the kernel writes nothing of it in the next turn.
  const archive = async () => rmSync(pack(machine));
  return inTurns(round, { archive, agent: () => captured(store, machine) });
}

async function captured(store: StoreProcess, machine: LocalWorkspace) {
  const { manifest } = await captureInto(store, machine);
  if (manifest.status !== 'available') throw new Error(`The snapshot is ${manifest.status}`);
  return manifest;
}

/**
 * Measures both in turns, as above. Nothing is deleted before the last round: ext4 without a
 * journal searches past each file that was deleted within minutes, for each new file.
 */
async function measureRestores(store: StoreProcess, machine: LocalWorkspace): Promise<readonly Round[]> {
  const manifest = await captured(store, machine);
  const archive = pack(machine);
  const others = Array.from({ length: restoreRounds + 1 }, () => clonedWorkspace(originOf(machine)));
  const rounds: Round[] = [];
  for (const [round, other] of others.entries()) {
    // Otherwise the kernel writes the files of the last round during this one.
    execFileSync('sync', ['-f', other.folder]);
    const unpacked = async () => unpack(archive, other);
    rounds.push(await inTurns(round, { archive: unpacked, agent: () => restored(store, other, manifest) }));
  }
  for (const { folder } of others) rmSync(folder, { recursive: true, force: true });
  return rounds.slice(1);
}

async function restored(
  store: StoreProcess,
  machine: LocalWorkspace,
  manifest: SnapshotManifest,
): Promise<void> {
  const { missing } = await restoreFrom(store, machine, manifest);
  if (missing.length > 0) throw new Error('The restore is not complete');
}

/** A clone of `origin`; without one, of a new repository in its own folder. */
function clonedWorkspace(origin?: string): LocalWorkspace {
  const machine = new LocalWorkspace();
  if (origin === undefined)
    machine.sh(
      `git init -q -b main seed && cd seed && echo hello >README.md && git add . && git commit -qm first
       git clone -q --bare . ../origin.git`,
      machine.folder,
    );
  machine.clone(origin ?? originOf(machine));
  return machine;
}

const originOf = ({ folder }: LocalWorkspace): string => join(folder, 'origin.git');

/** Copies installed packages: sources, declarations, data and binaries of all sizes. */
function fill(workDir: string): void {
  let left = work;
  for (const { parentPath, name } of readdirSync(packages, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile(),
  )) {
    const path = join(parentPath, name);
    const { size } = lstatSync(path);
    if (size > largestFile || size > left) continue;
    cpSync(path, join(workDir, 'source', relative(packages, path)));
    left -= size;
  }
  // Otherwise the kernel writes them during the rounds.
  execFileSync('sync', ['-f', workDir]);
}

/** Returns the path of the archive. */
function pack({ folder, workDir }: LocalWorkspace): string {
  const archive = join(folder, 'packed.tar.zst');
  execFileSync('sh', ['-c', `tar -cf - source | zstd -q -3 -f -o ${archive}`], { cwd: workDir });
  return archive;
}

function unpack(archive: string, { folder }: LocalWorkspace): void {
  const target = join(folder, 'unpacked');
  mkdirSync(target);
  execFileSync('sh', ['-c', `zstd -q -d -c ${archive} | tar -xf -`], { cwd: target });
}

type Work = Readonly<Record<'archive' | 'agent', () => Promise<unknown>>>;

async function inTurns(round: number, { archive, agent }: Work): Promise<Round> {
  if (round % 2 === 0) return { archiveMs: await timed(archive), agentMs: await timed(agent) };
  const agentMs = await timed(agent);
  return { archiveMs: await timed(archive), agentMs };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

process.send?.(await measureAll());
process.disconnect();
