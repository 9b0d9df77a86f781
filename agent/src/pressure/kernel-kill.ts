import { closeSync, constants, openSync, readSync } from 'node:fs';

/** The largest record of the kernel's log. */
const recordBytes = 8_192;
const maxRecords = 100_000;

/** A process that the kernel killed for lack of memory. */
export interface KernelKill extends KernelProcess {
  /** Of its container, at that moment. */
  readonly largest: KernelProcess | null;
}

export interface KernelProcess {
  readonly name: string;
  readonly memoryBytes: number;
}

const pageBytes = 4_096;
/** Process, user, group, size, resident pages and others, separated by spaces; the name is last. */
const taskRow = /\[ *\d+\] +\d+ +\d+ +\d+ +(\d+) .* (\S+)$/;

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
  return { name, memoryBytes: kib * 1_024, largest: largestTask(lines.slice(0, at)) };
}

/** The kernel lists the processes of the control group before it names the one that it kills. */
function largestTask(before: readonly string[]): KernelProcess | null {
  const from = before.findLastIndex((line) => line.includes('Tasks state (memory values in pages)'));
  if (from < 0) return null;
  const tasks = before.slice(from).flatMap((line) => {
    const [, pages, name = ''] = taskRow.exec(line.split('\n')[0] ?? '') ?? [];
    return pages === undefined ? [] : [{ name, memoryBytes: Number(pages) * pageBytes }];
  });
  const [largest] = tasks.toSorted((one, other) => other.memoryBytes - one.memoryBytes);
  return largest ?? null;
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
