import { once } from 'node:events';
import { mkdir, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { spawn } from '../../node/process-priority.js';

const pidsHierarchy = '/sys/fs/cgroup/pids';

/** The engine's report about control groups. */
interface CgroupInfo {
  readonly CgroupDriver: string;
  readonly CgroupVersion?: string;
}

/** A control group that limits the processes of one build; the engine has no such parameter. */
export interface BuildCgroup extends AsyncDisposable {
  /** Null when the agent may not make control groups: the build has no such limit then. */
  readonly parent: string | null;
}

/** Makes the control group, or takes the one of an earlier build. */
export async function openBuildCgroup(
  workspaceId: string,
  { CgroupDriver: driver, CgroupVersion: version }: CgroupInfo,
  maxProcesses: number,
): Promise<BuildCgroup> {
  const id = workspaceId.toLowerCase();
  const make = driver === 'systemd' ? slice : version === '1' ? folder : null;
  if (make === null || process.getuid?.() !== 0) return withoutGroup;
  return make(id, maxProcesses).catch(() => withoutGroup);
}

const withoutGroup: BuildCgroup = { parent: null, [Symbol.asyncDispose]: async () => undefined };

/** systemd creates the slice with its first container, and with these properties. */
async function slice(id: string, maxProcesses: number): Promise<BuildCgroup> {
  const name = `svc-build-${id}.slice`;
  await systemctl('set-property', '--runtime', name, `TasksMax=${maxProcesses}`);
  const end = async () => {
    await systemctl('stop', name);
    await systemctl('revert', name);
  };
  return { parent: name, [Symbol.asyncDispose]: () => end().catch(() => undefined) };
}

async function systemctl(...args: readonly string[]): Promise<void> {
  const [code] = await once(spawn('systemctl', [...args], { stdio: 'ignore' }), 'close');
  if (code !== 0) throw new Error(`systemctl ${args[0]} exited with ${code}`);
}

async function folder(id: string, maxProcesses: number): Promise<BuildCgroup> {
  const parent = `/svc-builds/${id}`;
  const path = join(pidsHierarchy, parent);
  await mkdir(path, { recursive: true });
  await writeFile(join(path, 'pids.max'), String(maxProcesses));
  return { parent, [Symbol.asyncDispose]: () => rmdir(path).catch(() => undefined) };
}
