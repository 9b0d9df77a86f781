import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { spawn } from '../../node/process-priority.js';
import type { ContainerLimits } from '../container/container-settings.js';
import { type CgroupRoot, hasLimits, limitFiles } from './cgroup-limits.js';
import { removeGroup } from './remove-cgroup.js';

/** The engine's report about control groups. */
interface CgroupInfo {
  readonly CgroupDriver: string;
  readonly CgroupVersion?: string;
}

/** A control group with the limits of one build, for all of its steps together. */
export interface BuildCgroup extends AsyncDisposable {
  /**
   * As the engine's containers name it. Null when the agent may not make control groups: the
   * processes of a build have no limit then.
   */
  readonly parent: string | null;
  /** Its path, when it has all limits; else null. BuildKit has no limits of its own. */
  readonly limitedPath: string | null;
}

const cgroupFolder = '/sys/fs/cgroup';

/** Makes the control group, or takes the one of an earlier build. */
export async function openBuildCgroup(
  workspaceId: string,
  { CgroupDriver: driver, CgroupVersion: version }: CgroupInfo,
  limits: ContainerLimits,
): Promise<BuildCgroup> {
  if (process.getuid?.() !== 0) return withoutGroup;
  const root: CgroupRoot = { folder: cgroupFolder, version: version === '2' ? '2' : '1' };
  const id = workspaceId.toLowerCase();
  const make = driver === 'systemd' ? slice : folder;
  return make(root, id, limits).catch(() => withoutGroup);
}

const withoutGroup: BuildCgroup = {
  parent: null,
  limitedPath: null,
  [Symbol.asyncDispose]: async () => undefined,
};

/**
 * A slice of systemd. BuildKit in the engine takes a path only, and has no part of systemd for its
 * steps: it gets the path of the slice.
 */
async function slice(root: CgroupRoot, id: string, limits: ContainerLimits): Promise<BuildCgroup> {
  const name = `svc-build-${id}.slice`;
  await systemctl('set-property', '--runtime', name, ...sliceProperties(limits));
  await systemctl('start', name);
  const path = sliceFolder(name);
  const end = async () => {
    await removeGroup(root, path);
    await systemctl('stop', name);
    await systemctl('revert', name);
  };
  return {
    parent: name,
    limitedPath: (await hasLimits(root, path, limits)) ? path : null,
    [Symbol.asyncDispose]: () => end().catch(() => undefined),
  };
}

export function sliceProperties(limits: ContainerLimits): readonly string[] {
  const { Memory, MemorySwap, NanoCpus, PidsLimit } = limits;
  return [
    `MemoryMax=${Memory}`,
    `MemorySwapMax=${MemorySwap - Memory}`,
    `CPUQuota=${Math.floor(NanoCpus / 1e7)}%`,
    `TasksMax=${PidsLimit}`,
  ];
}

/** `a-b.slice` is in `a.slice`. */
export function sliceFolder(name: string): string {
  const parts = name.replace(/\.slice$/, '').split('-');
  const folders = parts.map((_, at) => `${parts.slice(0, at + 1).join('-')}.slice`);
  return `/${folders.join('/')}`;
}

async function systemctl(...args: readonly string[]): Promise<void> {
  const [code] = await once(spawn('systemctl', [...args], { stdio: 'ignore' }), 'close');
  if (code !== 0) throw new Error(`systemctl ${args[0]} exited with ${code}`);
}

/** A group that the agent makes itself. One without all limits serves the classic builder. */
export async function folder(root: CgroupRoot, id: string, limits: ContainerLimits): Promise<BuildCgroup> {
  const parent = `/svc-builds/${id}`;
  // That of a build that was killed, with other limits.
  await removeGroup(root, parent).catch(() => undefined);
  if (root.version === '2') await delegate(root, dirname(parent));
  const isWritten: boolean[] = [];
  for (const { path, value } of limitFiles(root, parent, limits)) {
    await mkdir(dirname(path), { recursive: true });
    const write = writeFile(path, value);
    isWritten.push(
      await write.then(
        () => true,
        () => false,
      ),
    );
  }
  const end = () => removeGroup(root, parent);
  if (isWritten.at(-1) !== true) {
    await end();
    return withoutGroup;
  }
  return {
    parent,
    limitedPath: (await hasLimits(root, parent, limits)) ? parent : null,
    [Symbol.asyncDispose]: () => end().catch(() => undefined),
  };
}

/** Version 2: gives the groups in `group` the controllers of its limits. */
async function delegate({ folder }: CgroupRoot, group: string): Promise<void> {
  await mkdir(join(folder, group), { recursive: true });
  for (const path of [folder, join(folder, group)])
    await writeFile(join(path, 'cgroup.subtree_control'), '+memory +cpu +pids');
}
