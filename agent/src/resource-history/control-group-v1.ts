import { join } from 'node:path';
import type { ControlGroupFigures } from './control-group.js';
import {
  divide,
  parseField,
  parseNumber,
  readControlFile,
  sumMatches,
  workingSet,
} from './control-group-files.js';

/** One tree per controller. Version 1 counts kills, but not the times that memory ran out. */
export function readVersion1(root: string, path: string): ControlGroupFigures {
  const file = (controller: string, name: string) => readControlFile(join(root, controller, path, name));
  const memoryBytes = parseNumber(file('memory', 'memory.usage_in_bytes'));
  const inactiveFile = parseField(file('memory', 'memory.stat'), 'total_inactive_file');
  const io = file('blkio', 'blkio.throttle.io_service_bytes_recursive');
  return {
    cpuMillis: divide(parseNumber(file('cpuacct', 'cpuacct.usage')), 1e6),
    memoryBytes,
    memoryWorkingSetBytes: workingSet(memoryBytes, inactiveFile),
    memoryPeakBytes: parseNumber(file('memory', 'memory.max_usage_in_bytes')),
    memoryLimitBytes: limitOf(parseNumber(file('memory', 'memory.limit_in_bytes'))),
    ioReadBytes: sumMatches(io, /^\d+:\d+ Read (\d+)$/gm),
    ioWriteBytes: sumMatches(io, /^\d+:\d+ Write (\d+)$/gm),
    oomKill: parseField(file('memory', 'memory.oom_control'), 'oom_kill'),
    pidsCurrent: parseNumber(file('pids', 'pids.current')),
  };
}

/** Without a limit, the file has the largest number of bytes that the kernel can count. */
const limitOf = (bytes: number | undefined): number | undefined =>
  bytes !== undefined && bytes < 2 ** 62 ? bytes : undefined;
