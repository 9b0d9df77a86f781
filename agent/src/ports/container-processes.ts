import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkspaceProcesses } from './workspace-processes.js';

/** Id and first process of a running container. */
export interface RunningContainer {
  readonly id: string;
  readonly pid: number;
}

export interface KernelFolders {
  readonly proc: string;
  readonly cgroup: string;
}

/** The processes of containers as the machine sees them, by their control groups; the containers' tools are not asked. */
export class ContainerProcesses implements WorkspaceProcesses {
  private readonly leaders = new Map<string, RunningContainer>();

  constructor(
    private readonly inspect: (workspaceId: string) => Promise<RunningContainer | null>,
    private readonly folders: KernelFolders,
  ) {}

  /** The engine is asked again only when the process that it named last is no longer in that container. */
  async leader(workspaceId: string): Promise<number | null> {
    const known = this.leaders.get(workspaceId);
    if (known && (await this.isIn(known))) return known.pid;
    const container = await this.inspect(workspaceId);
    // An engine in a virtual machine names processes that mean nothing, or something else, here.
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

  /** Version 2 has one hierarchy, at the top or beside those of version 1; version 1 has one a controller. */
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

/** Of the group and of all groups that were made inside it. */
async function pidsUnder(folder: string): Promise<number[]> {
  const text = await readFile(join(folder, 'cgroup.procs'), 'utf8').catch(() => '');
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const below = await Promise.all(
    entries.filter((entry) => entry.isDirectory()).map(({ name }) => pidsUnder(join(folder, name))),
  );
  return [...text.split('\n').filter(Boolean).map(Number), ...below.flat()];
}
