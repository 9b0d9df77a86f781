import { existsSync } from 'node:fs';
import Docker from 'dockerode';

const socketPath = '/var/run/docker.sock';

export interface EngineObject {
  readonly name: string;
  remove(): Promise<unknown>;
}

/** Containers and networks that name the folder in a mount, a label or their command. */
export async function ownEngineObjects(folder: string): Promise<readonly EngineObject[]> {
  if (process.env.DOCKER_HOST || !existsSync(socketPath)) return [];
  const docker = new Docker({ socketPath });
  const names = (value: unknown) => JSON.stringify(value).includes(folder);
  try {
    const [containers, networks] = await Promise.all([
      docker.listContainers({ all: true }),
      docker.listNetworks(),
    ]);
    return [
      ...containers.filter(names).map(({ Id, Names }) => ({
        name: `container ${Names[0]?.slice(1) ?? Id}`,
        remove: () => docker.getContainer(Id).remove({ force: true, v: true }),
      })),
      ...networks.filter(names).map(({ Id, Name }) => ({
        name: `network ${Name}`,
        remove: () => docker.getNetwork(Id).remove(),
      })),
    ];
  } catch {
    return []; // No engine answers.
  }
}
