import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readControlFile } from '../resource-history/control-group-files.js';
import { harnessOomScoreAdjust } from '../workspaces/container/container-settings.js';

/** What a coding agent runs ends before the coding agent itself. */
export const toolOomScoreAdjust = 700;

const shells = new Set(['sh', 'bash', 'dash', 'ash', 'zsh', 'ksh', 'fish', 'busybox']);

interface Process {
  readonly name: string;
  readonly parent: number;
}

/**
 * Raises the adjustment of the processes of a container that a coding agent runs through a shell.
 * Their children inherit it. A coding agent may consist of several processes, so a child without a
 * shell counts as a part of it.
 */
export function raiseTools(pids: readonly number[], proc = '/proc'): void {
  const found = new Map<number, Process>();
  for (const pid of pids) {
    const process = readProcess(join(proc, String(pid)));
    if (process) found.set(pid, process);
  }
  for (const pid of found.keys()) if (isTool(pid, found)) raise(join(proc, String(pid), 'oom_score_adj'));
}

/** The first process of a coding agent is no tool, whatever its name. */
function isTool(pid: number, found: ReadonlyMap<number, Process>): boolean {
  for (let at = found.get(pid); at && found.has(at.parent); at = found.get(at.parent))
    if (shells.has(at.name)) return true;
  return false;
}

/** Null unless it is a coding agent, or a process of one. */
function readProcess(folder: string): Process | null {
  if (Number(readControlFile(join(folder, 'oom_score_adj'))) !== harnessOomScoreAdjust) return null;
  // The name is in parentheses, and may contain any character.
  const [, name, parent] = /\((.*)\) \S (\d+)/s.exec(readControlFile(join(folder, 'stat')) ?? '') ?? [];
  return name === undefined ? null : { name, parent: Number(parent) };
}

function raise(path: string): void {
  try {
    writeFileSync(path, String(toolOomScoreAdjust));
  } catch {
    // It has ended.
  }
}
