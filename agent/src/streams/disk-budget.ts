import { statfs } from 'node:fs/promises';
import type { Reservation } from '../../../protocol/node-api.js';
import { ByteBudget, endless, StreamLimit } from './byte-budget.js';

const mebibyte = 2 ** 20;
/** Stays free for the agent and for other workspaces, or a part of a small disk. */
const reserve = { bytes: 1_024 * mebibyte, part: 0.05 };
/** Bytes between two looks at the disk. */
const stepBytes = 16 * mebibyte;

/** Without a reservation only the free disk limits a workspace. */
export const diskBytes = ({ diskMb = 0 }: Partial<Reservation> = {}): number =>
  diskMb > 0 ? diskMb * mebibyte : endless;

export interface Disk {
  readonly folder: string;
  readonly limitBytes: number;
  /** Begins the message, such as "The files of the workspace". */
  readonly source: string;
}

/** The bytes that a stream may write to a folder of the node, whose disk others fill too. */
export class DiskBudget {
  private readonly budget: ByteBudget;
  private uncheckedBytes = 0;

  private constructor(private readonly disk: Disk) {
    this.budget = new ByteBudget(disk.limitBytes, disk.source);
  }

  /** @throws StreamLimit when the disk is full already */
  static async open(disk: Disk): Promise<DiskBudget> {
    const budget = new DiskBudget(disk);
    await budget.check(0);
    return budget;
  }

  /** Before the bytes are written. @throws StreamLimit */
  async take(bytes: number): Promise<void> {
    this.budget.take(bytes);
    this.uncheckedBytes += bytes;
    if (this.uncheckedBytes < stepBytes) return;
    await this.check(this.uncheckedBytes);
    this.uncheckedBytes = 0;
  }

  private async check(bytes: number): Promise<void> {
    const { folder, source } = this.disk;
    const { blocks, bavail, bsize } = await statfs(folder);
    const reservedBytes = Math.min(reserve.bytes, blocks * bsize * reserve.part);
    if (bavail * bsize - bytes >= reservedBytes) return;
    const free = `${Math.round((bavail * bsize) / mebibyte)} MB`;
    throw new StreamLimit(
      'insufficient_storage',
      `${source} do not fit on the disk of the node, which has ${free} free`,
    );
  }
}
