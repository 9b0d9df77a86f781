import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { workspaceProcesses } from '../workspaces/marked-processes.js';

/** Finds the processes of workspaces from outside. */
export interface WorkspaceProcesses {
  /** A process in the workspace's network; null when nothing of it runs. */
  leader(workspaceId: string): Promise<number | null>;
  /** All processes of each of these workspaces. */
  all(workspaceIds: readonly string[]): Promise<ReadonlyMap<string, readonly number[]>>;
}

/** Id and first process of a running container. */
export interface RunningContainer {
  readonly id: string;
  readonly pid: number;
}

export interface KernelFolders {
  readonly proc: string;
  readonly cgroup: string;
}

/** Finds processes of containers by their control groups, without tools in the container. */
export class ContainerProcesses implements WorkspaceProcesses {
  private readonly leaders = new Map<string, RunningContainer>();

  constructor(
    private readonly inspect: (workspaceId: string) => Promise<RunningContainer | null>,
    private readonly folders: KernelFolders,
  ) {}

  /** Asks the engine again only when the last known process has left that container. */
  async leader(workspaceId: string): Promise<number | null> {
    const known = this.leaders.get(workspaceId);
    if (known && (await this.isIn(known))) return known.pid;
    const container = await this.inspect(workspaceId);
    // An engine in a virtual machine reports process ids of another kernel.
    if (!container || !(await this.isIn(container))) {
      this.leaders.delete(workspaceId);
      return null;
    }
    this.leaders.set(workspaceId, container);
    return container.pid;
  }

  async all(workspaceIds: readonly string[]): Promise<ReadonlyMap<string, readonly number[]>> {
    const entries = await Promise.all(
      workspaceIds.map(async (workspaceId) => [workspaceId, await this.processesOf(workspaceId)] as const),
    );
    return new Map(entries);
  }

  private async processesOf(workspaceId: string): Promise<number[]> {
    const pid = await this.leader(workspaceId);
    const { id = '' } = this.leaders.get(workspaceId) ?? {};
    if (pid === null) return [];
    for (const folder of this.groupFolders(await this.groupsOf(pid), id)) {
      const pids = await pidsUnder(folder);
      if (pids.length > 0) return pids;
    }
    return [pid];
  }

  private async isIn({ id, pid }: RunningContainer): Promise<boolean> {
    return id !== '' && (await this.groupsOf(pid)).includes(id);
  }

  private groupsOf(pid: number): Promise<string> {
    return readFile(join(this.folders.proc, String(pid), 'cgroup'), 'utf8').catch(() => '');
  }

  /**
   * Version 2 has one hierarchy, at the top or beside those of version 1; version 1 has one per
   * controller.
   */
  private groupFolders(groups: string, id: string): string[] {
    return groups.split('\n').flatMap((line) => {
      const [number, controllers = '', path = ''] = line.split(/:([^:]*):(.*)/);
      if (!path.includes(id)) return [];
      const { cgroup } = this.folders;
      if (number === '0') return [join(cgroup, path), join(cgroup, 'unified', path)];
      return [join(cgroup, controllers.replace(/^name=/, ''), path)];
    });
  }
}

/** Processes of the group and of its subgroups. */
async function pidsUnder(folder: string): Promise<number[]> {
  const text = await readFile(join(folder, 'cgroup.procs'), 'utf8').catch(() => '');
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const below = await Promise.all(
    entries.filter((entry) => entry.isDirectory()).map(({ name }) => pidsUnder(join(folder, name))),
  );
  return [...text.split('\n').filter(Boolean).map(Number), ...below.flat()];
}

/**
 * Standalone workspaces are in the agent's network; their processes have a marker in the
 * environment.
 */
export const standaloneProcesses = (baseDir: string): WorkspaceProcesses => ({
  leader: async () => process.pid,
  all: () => workspaceProcesses(baseDir),
});
