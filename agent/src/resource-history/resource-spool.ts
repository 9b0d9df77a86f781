import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Ulid } from '../../../protocol/ids.js';
import { writeFileAtomic } from '../files/local-disk.js';
import { KeyLock } from '../shared/key-lock.js';

const isUlid = (text: string): boolean => Ulid.safeParse(text).success;

interface SpooledChunk {
  readonly workspaceId: string;
  readonly sequence: number;
}

const sequenceFile = '.sequence';
const chunkFile = /^(\d{20})\.json$/;
const fileOf = (sequence: number) => `${String(sequence).padStart(20, '0')}.json`;

/**
 * Chunks that the control plane does not have yet, a folder for each workspace. The oldest chunks
 * of the node are dropped above `maxBytes`.
 */
export class ResourceSpool {
  private readonly lock = new KeyLock();
  private droppedChunks = 0;

  constructor(
    private readonly folder: string,
    private readonly maxBytes: number,
  ) {}

  /** Chunks that were dropped since the start because the spool was full. */
  get dropped(): number {
    return this.droppedChunks;
  }

  /**
   * Stores a chunk durably and returns its sequence, which is never used again, even after a crash
   * or a restart with another clock. Null when the chunk alone exceeds the spool.
   */
  publish(workspaceId: string, nowMs: number, textOf: (sequence: number) => string): Promise<number | null> {
    return this.lock.run('spool', async () => {
      const folder = this.folderOf(workspaceId);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await removeRemains(folder);
      const sequence = Math.max(
        nowMs,
        await nextSequence(folder),
        1 + ((await sequencesIn(folder)).at(-1) ?? 0),
      );
      const text = textOf(sequence);
      if (!(await this.makeRoom(Buffer.byteLength(text)))) return null;
      // First, so that the number is spent also when the chunk is uploaded before a crash.
      await writeFileAtomic(join(folder, sequenceFile), String(sequence + 1));
      await writeFileAtomic(join(folder, fileOf(sequence)), text);
      return sequence;
    });
  }

  /** Workspaces that may have chunks here. */
  async workspaces(): Promise<string[]> {
    return ((await readdir(this.folder).catch(nullIfMissing)) ?? []).filter(isUlid);
  }

  /** Also forgets its sequence. */
  async removeWorkspace(workspaceId: string): Promise<void> {
    await rm(this.folderOf(workspaceId), { recursive: true, force: true });
  }

  /** Sequences of a workspace, oldest first. */
  async list(workspaceId: string): Promise<number[]> {
    return sequencesIn(this.folderOf(workspaceId));
  }

  /** Null when the chunk was dropped or uploaded. */
  async read({ workspaceId, sequence }: SpooledChunk): Promise<string | null> {
    return readFile(this.pathOf({ workspaceId, sequence }), 'utf8').catch(nullIfMissing);
  }

  async remove(chunk: SpooledChunk): Promise<void> {
    await rm(this.pathOf(chunk), { force: true });
  }

  /** False when even an empty spool has no room. */
  private async makeRoom(bytes: number): Promise<boolean> {
    if (bytes > this.maxBytes) {
      this.droppedChunks += 1;
      return false;
    }
    const chunks = await this.all();
    let total = chunks.reduce((sum, chunk) => sum + chunk.bytes, bytes);
    for (const chunk of chunks) {
      if (total <= this.maxBytes) break;
      await this.remove(chunk);
      this.droppedChunks += 1;
      total -= chunk.bytes;
    }
    return true;
  }

  /** Sequences begin with the time, so they order the chunks of all workspaces. */
  private async all(): Promise<(SpooledChunk & { readonly bytes: number })[]> {
    const workspaces = await this.workspaces();
    const chunks = await Promise.all(
      workspaces.map(async (workspaceId) =>
        Promise.all(
          (await this.list(workspaceId)).map(async (sequence) => {
            const found = await stat(this.pathOf({ workspaceId, sequence })).catch(nullIfMissing);
            return { workspaceId, sequence, bytes: found?.size ?? 0 };
          }),
        ),
      ),
    );
    return chunks.flat().sort((one, other) => one.sequence - other.sequence);
  }

  private pathOf({ workspaceId, sequence }: SpooledChunk): string {
    return join(this.folderOf(workspaceId), fileOf(sequence));
  }

  private folderOf(workspaceId: string): string {
    if (!isUlid(workspaceId)) throw new Error('Not the id of a workspace');
    return join(this.folder, workspaceId);
  }
}

async function sequencesIn(folder: string): Promise<number[]> {
  const names = (await readdir(folder).catch(nullIfMissing)) ?? [];
  return names
    .flatMap((name) => chunkFile.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((one, other) => one - other);
}

/** 0 when the file is missing or damaged: the time and the chunks then give the sequence. */
async function nextSequence(folder: string): Promise<number> {
  const text = await readFile(join(folder, sequenceFile), 'utf8').catch(nullIfMissing);
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : 0;
}

/** A crash during a write leaves its temporary file. */
async function removeRemains(folder: string): Promise<void> {
  const remains = (await readdir(folder)).filter((name) => name !== sequenceFile && !chunkFile.test(name));
  await Promise.all(remains.map((name) => rm(join(folder, name), { force: true })));
}

function nullIfMissing(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
  throw error;
}
