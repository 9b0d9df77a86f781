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

/** `memory.peak` needs Linux 5.19. */
export function readVersion2(group: string): ControlGroupFigures {
  const file = (name: string) => readControlFile(join(group, name));
  const memoryBytes = parseNumber(file('memory.current'));
  const inactiveFile = parseField(file('memory.stat'), 'inactive_file');
  const io = file('io.stat');
  const events = file('memory.events');
  return {
    cpuMillis: divide(parseField(file('cpu.stat'), 'usage_usec'), 1e3),
    memoryBytes,
    memoryWorkingSetBytes: workingSet(memoryBytes, inactiveFile),
    memoryPeakBytes: parseNumber(file('memory.peak')),
    memoryLimitBytes: parseNumber(file('memory.max')),
    ioReadBytes: sumMatches(io, /\brbytes=(\d+)/g),
    ioWriteBytes: sumMatches(io, /\bwbytes=(\d+)/g),
    oom: parseField(events, 'oom'),
    oomKill: parseField(events, 'oom_kill'),
    pidsCurrent: parseNumber(file('pids.current')),
  };
}
