import type { ContainerCreateOptions } from 'dockerode';
import { repositoryFolder, type Workspace } from '../workspace.js';
import type { ContainerLimits } from './container-limits.js';
import type { ContainerPlan } from './container-plan.js';
import { dockerName, labels, labelsOf, runMount, workspacesMount } from './docker-names.js';

/** Ends at once when asked to, and needs nothing but a shell in the image. */
const idle = 'trap "exit 0" TERM INT; while :; do sleep 3600 & wait $!; done';

/** Workspaces are the kernel's first victims when memory runs out; the agent is not. */
const oomScoreAdjust = 500;

/**
 * What root in a container may do: own files, become other users (sudo, apt), listen on low ports. Without raw sockets,
 * device files and changes of its own capabilities, which the engine would give.
 */
const capabilities = [
  ...['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'KILL', 'SETGID', 'SETUID', 'SETFCAP'],
  ...['NET_BIND_SERVICE', 'SYS_CHROOT', 'AUDIT_WRITE'],
];

/** Shared memory and control groups of nothing else are in sight. The client's types do not know the second. */
const namespaces = { IpcMode: 'private', CgroupnsMode: 'private' };

export interface ContainerPlace {
  readonly nodeId: string;
  readonly plan: ContainerPlan;
  readonly network: string;
  readonly limits: ContainerLimits;
  /** Folder of this machine that the container sees at `runMount`. */
  readonly runFolder: string;
}

export function workDirOf(workspace: Workspace): string {
  return `${workspacesMount}/${repositoryFolder(workspace.settings)}`;
}

/** What Docker is asked to make. No secret is in it: `docker inspect` shows it to everyone on the machine. */
export function containerSettings(workspace: Workspace, place: ContainerPlace): ContainerCreateOptions {
  const { workspaceId, generation, settings } = workspace;
  const { plan } = place;
  const environment: Record<string, string> = {
    ...plan.environment,
    GIT_CONFIG_SYSTEM: `${runMount}/gitconfig`,
    SVC_WORKSPACE_ID: workspaceId,
    SVC_NODE_ID: place.nodeId,
    ...(settings.repository ? { SVC_REPOSITORY: settings.repository } : {}),
    ...(settings.branch ? { SVC_BRANCH: settings.branch } : {}),
  };
  return {
    name: dockerName(workspaceId),
    Image: plan.image,
    Entrypoint: ['/bin/sh', '-c', idle],
    Cmd: [],
    WorkingDir: plan.workDir ?? workDirOf(workspace),
    ...(plan.user === null ? {} : { User: plan.user }),
    Hostname: workspaceId.toLowerCase().slice(-12),
    Env: Object.entries(environment).map(([name, value]) => `${name}=${value}`),
    Labels: {
      ...labelsOf({ workspaceId, nodeId: place.nodeId, generation }),
      [labels.origin]: plan.origin,
      ...(plan.startup.commands.length > 0 ? { [labels.startup]: JSON.stringify(plan.startup) } : {}),
    },
    HostConfig: {
      Init: true,
      NetworkMode: place.network,
      ...namespaces,
      OomScoreAdj: oomScoreAdjust,
      ...place.limits,
      CapDrop: ['ALL'],
      CapAdd: [...capabilities, ...plan.capabilities],
      SecurityOpt: [...plan.securityOptions],
      Mounts: [
        { Type: 'volume', Source: dockerName(workspaceId), Target: workspacesMount },
        ...plan.mounts.map(({ volume, target }) => ({
          Type: 'volume' as const,
          Source: volume,
          Target: target,
        })),
        { Type: 'bind', Source: place.runFolder, Target: runMount, ReadOnly: true },
      ],
      LogConfig: { Type: 'json-file', Config: { 'max-size': '1m', 'max-file': '1' } },
    },
  };
}
