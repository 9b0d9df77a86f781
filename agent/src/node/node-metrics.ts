import { readFile, statfs } from 'node:fs/promises';
import { freemem, loadavg, totalmem } from 'node:os';

export interface NodeMetrics {
  readonly cpuLoadAvg1: number;
  readonly memoryPercent: number;
  readonly diskPercent: number;
}

/** The load of this machine. */
export async function readNodeMetrics(diskPath: string): Promise<NodeMetrics> {
  const [available, disk] = await Promise.all([availableMemory(), diskPercent(diskPath)]);
  return {
    cpuLoadAvg1: loadavg()[0] ?? 0,
    memoryPercent: percent(1 - available / totalmem()),
    diskPercent: disk,
  };
}

/** Memory available without swapping; free memory alone counts cached files as used. */
export async function availableMemory(): Promise<number> {
  const text = await readFile('/proc/meminfo', 'utf8').catch(() => '');
  const kib = /^MemAvailable:\s+(\d+) kB$/m.exec(text)?.[1];
  return kib ? Number(kib) * 1_024 : freemem();
}

/** The disk of a path. Free space is what programs without special rights may use. */
export async function diskSpace(path: string) {
  const { blocks, bavail, bsize } = await statfs(path);
  return { totalBytes: blocks * bsize, availableBytes: bavail * bsize };
}

async function diskPercent(path: string): Promise<number> {
  const { totalBytes, availableBytes } = await diskSpace(path);
  return totalBytes === 0 ? 0 : percent(1 - availableBytes / totalBytes);
}

function percent(fraction: number): number {
  return Math.round(fraction * 1_000) / 10;
}
