import { closeSync, constants, openSync, readSync } from 'node:fs';

/** The largest record of the kernel's log. */
const recordBytes = 8_192;
const maxRecords = 100_000;

/** A process that the kernel killed for lack of memory. */
export interface KernelKill {
  readonly name: string;
  readonly memoryBytes: number;
}

/** The last process that was killed in a container; null when the log does not name it. */
export function readKernelKill(containerId: string, path = '/dev/kmsg'): KernelKill | null {
  try {
    return findKernelKill(kernelLog(path), containerId);
  } catch {
    return null;
  }
}

/** A line of the log names the control group and the process; a later one names its memory. */
export function findKernelKill(lines: readonly string[], containerId: string): KernelKill | null {
  const at = lines.findLastIndex(
    (line) => line.includes('oom-kill:') && groupOf(line)?.includes(containerId) === true,
  );
  const pid = at < 0 ? undefined : /,pid=(\d+)/.exec(lines[at] ?? '')?.[1];
  if (pid === undefined) return null;
  const killed = lines.slice(at).find((line) => line.includes(`Killed process ${pid} (`));
  const [, name] = /Killed process \d+ \((.*)\) total-vm/.exec(killed ?? '') ?? [];
  if (killed === undefined || name === undefined) return null;
  const kib = [...killed.matchAll(/(?:anon|file|shmem)-rss:(\d+)kB/g)].reduce(
    (sum, [, n]) => sum + Number(n),
    0,
  );
  return { name, memoryBytes: kib * 1_024 };
}

function groupOf(line: string): string | undefined {
  return /task_memcg=([^,]*)/.exec(line)?.[1];
}

/** Each read of the device returns one record, and fails with EAGAIN after the last one. */
function kernelLog(path: string): string[] {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const buffer = Buffer.alloc(recordBytes);
  const lines: string[] = [];
  try {
    for (let count = 0; count < maxRecords; count += 1) {
      const size = readRecord(file, buffer);
      if (size === 0) break;
      if (size > 0) lines.push(buffer.toString('utf8', 0, size));
    }
  } finally {
    closeSync(file);
  }
  return lines;
}

/** 0 at the end; -1 for a record that was overwritten before it was read. */
function readRecord(file: number, buffer: Buffer): number {
  try {
    return readSync(file, buffer);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    return code === 'EPIPE' ? -1 : 0;
  }
}
