import { statfs } from 'node:fs/promises';
import type { Log } from '../shared/log.js';
import type { PressureLevel } from './pressure.js';

/** Building the same again costs minutes, so a full disk is not cleaned up at every sample. */
const cleanUpIntervalMs = 10 * 60_000;

interface DiskDeps {
  /** The folder with the containers' data. Null: on another machine. */
  readonly folder: () => Promise<string | null>;
  /** Frees what no container needs. */
  readonly cleanUp: () => Promise<void>;
  readonly now: () => number;
  readonly log: Log;
  readonly usage?: typeof diskUsage;
}

/** Watches the disk of the containers. It is cleaned up before it counts as critical. */
export class DiskMonitor {
  private held: PressureLevel = 'none';
  private cleanedUpAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly fullPercent: number,
    private readonly deps: DiskDeps,
  ) {}

  get level(): PressureLevel {
    return this.held;
  }

  /** Keeps the last level when the disk cannot be read. */
  async sample(): Promise<PressureLevel> {
    const { folder: findFolder, log } = this.deps;
    try {
      const folder = await findFolder();
      if (folder !== null && (await this.isFull(folder))) await this.tryCleanUp(folder);
      else this.held = 'none';
    } catch (error) {
      log.warn('The disk of the containers could not be read', { error });
    }
    return this.held;
  }

  private async tryCleanUp(folder: string): Promise<void> {
    const { cleanUp, now, log } = this.deps;
    if (now() - this.cleanedUpAt >= cleanUpIntervalMs) {
      this.cleanedUpAt = now();
      log.warn('The disk of the containers is full. Removing what no container needs', { folder });
      await cleanUp().catch((error: unknown) => log.warn('The disk could not be cleaned up', { error }));
    }
    this.held = (await this.isFull(folder)) ? 'critical' : 'none';
  }

  private async isFull(folder: string): Promise<boolean> {
    const { bytesPercent, inodesPercent } = await (this.deps.usage ?? diskUsage)(folder);
    return Math.max(bytesPercent, inodesPercent) > this.fullPercent;
  }
}

/** Used parts of the disk of a folder. Some file systems have no fixed number of inodes. */
export async function diskUsage(folder: string) {
  const { blocks, bavail, files, ffree } = await statfs(folder);
  return { bytesPercent: usedPercent(blocks, bavail), inodesPercent: usedPercent(files, ffree) };
}

const usedPercent = (all: number, free: number): number => (all === 0 ? 0 : (1 - free / all) * 100);
