import { spawnSync } from 'node:child_process';
import type Docker from 'dockerode';
import { type ContainerGateway, findContainerGateway, workspaceSubnets } from './container-gateway.js';
import {
  DockerNodeContainers,
  findDocker,
  type NodeContainers,
  noContainers,
} from './ec2/node-containers.js';
import { LaptopError } from './laptop-error.js';

export interface NodeRole {
  readonly name: 'workspace' | 'standalone';
  readonly env: Readonly<Record<string, string>>;
  readonly containers: NodeContainers;
  /**
   * How containers reach the code host; undefined where workspaces are processes of this machine.
   */
  readonly gateway?: ContainerGateway;
  /** What a person must know of the isolation they get. */
  readonly note: string;
}

interface RoleWishes {
  readonly role?: string | undefined;
  readonly image?: string | undefined;
}

const builtImage = 'berth-base:local';

const standalone = (reason: string): NodeRole => ({
  name: 'standalone',
  env: { NODE_ROLE: 'standalone' },
  containers: noContainers,
  note:
    `${reason}: workspaces are private directories and processes on this machine. ` +
    'They are not isolated from it or from each other: they run as you, see your files, network and processes. Open only repositories you trust.',
});

/**
 * With a Docker engine nodes run containers as in the cloud, without one processes of this machine.
 * @throws {LaptopError} when containers are asked for and there is no engine
 */
export async function chooseRole({ role, image }: RoleWishes): Promise<NodeRole> {
  if (role !== undefined && role !== 'standalone' && role !== 'workspace') {
    throw new LaptopError(`BERTH_NODE_ROLE must be workspace or standalone, and is ${JSON.stringify(role)}.`);
  }
  if (role === 'standalone') return standalone('BERTH_NODE_ROLE is standalone');
  const docker = await findDocker();
  if (docker) return inContainers(docker, image);
  if (role === 'workspace') {
    throw new LaptopError(
      'BERTH_NODE_ROLE is workspace, and no Docker engine answers. Start it, or leave the variable out.',
    );
  }
  return standalone('Docker engine is not available');
}

async function inContainers(docker: Docker, image: string | undefined): Promise<NodeRole> {
  const chosen = image ?? ((await hasImage(docker, builtImage)) ? builtImage : undefined);
  const gateway = await findContainerGateway(docker);
  return {
    name: 'workspace',
    gateway,
    env: {
      NODE_ROLE: 'workspace',
      WORKSPACE_SUBNETS: `${workspaceSubnets.address}/${workspaceSubnets.prefix}`,
      WORKSPACE_LOOPBACK_ALIAS: gateway.alias,
      ...(chosen ? { DEFAULT_DEVCONTAINER_IMAGE: chosen } : {}),
    },
    containers: new DockerNodeContainers(docker),
    note:
      `A Docker engine answers: each workspace is a container${chosen ? ` of ${chosen}` : ''}. ` +
      'Nodes are processes of this machine, and containers share its engine and kernel, each on a network of its own; in the cloud each node is a virtual machine of its own.' +
      (hasSandbox() ? '' : withoutSandbox),
  };
}

const withoutSandbox =
  ' bubblewrap (bwrap) is not installed or does not work: dev containers of repositories are not built, and repositories are cloned without a sandbox.';

function hasSandbox(): boolean {
  const args = ['--ro-bind', '/', '/', '--unshare-pid', '--proc', '/proc', 'true'];
  return spawnSync('bwrap', args, { stdio: 'ignore' }).status === 0;
}

async function hasImage(docker: Docker, name: string): Promise<boolean> {
  return docker
    .getImage(name)
    .inspect()
    .then(
      () => true,
      () => false,
    );
}
