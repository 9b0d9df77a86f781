import { readFileSync } from 'node:fs';
import { ownEngineObjects } from './own-engine-objects.js';
import { ownProcesses } from './own-processes.js';

export interface Leftover {
  readonly name: string;
  /** Ends or removes it, so that no later file meets it. */
  remove(): Promise<unknown> | unknown;
}

/** Its name excludes it from a second try. */
export class Leftovers extends Error {
  override readonly name = 'Leftovers';

  constructor(left: readonly Leftover[]) {
    super(`The test file left behind:\n${left.map(({ name }) => name).join('\n')}`);
  }
}

/** What this test file has made and not ended; `before` names what was there when it began. */
export async function findLeftovers(
  folder: string,
  before: ReadonlySet<string>,
): Promise<readonly Leftover[]> {
  const found: readonly Leftover[] = [
    ...ownProcesses(process.pid, folder).map(({ pid, command }) => ({
      name: `process ${pid}: ${command.slice(0, 200)}`,
      remove: () => kill(pid),
    })),
    ...mountsIn(folder).map((path) => ({ name: `mount ${path}`, remove: () => {} })),
    ...(await ownEngineObjects(folder)),
  ];
  return found.filter(({ name }) => !before.has(name));
}

function mountsIn(folder: string): readonly string[] {
  const lines = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  return lines.map((line) => line.split(' ')[4] ?? '').filter((path) => path.startsWith(folder));
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
