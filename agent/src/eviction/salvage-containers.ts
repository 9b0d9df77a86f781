import type { DockerEngine } from '../workspaces/container/docker-engine.js';
import { ignoringStatus } from '../workspaces/container/docker-errors.js';
import { labels } from '../workspaces/container/docker-names.js';

const repository = 'svc-eviction';
const label = 'svc.eviction';
const idle = 'exec tail -f /dev/null';

/**
 * Helpers that show the files of a container that died, also those beside its volumes. Nothing of
 * the container runs in them, and they have neither network nor capabilities.
 */
export class SalvageContainers {
  constructor(
    private readonly engine: DockerEngine,
    private readonly nodeId: string,
  ) {}

  static nameOf(workspaceId: string): string {
    return `svc-salvage-${workspaceId}`;
  }

  /** Starts the helper of a dead container. It ends when it is disposed. */
  async open(workspaceId: string, victimId: string): Promise<AsyncDisposable> {
    const { docker } = this.engine;
    await this.remove(workspaceId);
    const victim = await docker.getContainer(victimId).inspect();
    const image = imageOf(workspaceId);
    // An image takes the labels of its container, and a container those of its image: the helper is
    // none of the workspace's containers.
    const objectLabels: Record<string, string> = {
      ...Object.fromEntries(Object.values(labels).map((name) => [name, ''])),
      [label]: this.nodeId,
    };
    const changes = Object.entries(objectLabels).map(([name, value]) => `LABEL ${name}="${value}"`);
    await docker.getContainer(victimId).commit({ ...image, changes: changes.join('\n') });
    try {
      const { Memory, MemorySwap, PidsLimit, OomScoreAdj } = victim.HostConfig;
      const container = await docker.createContainer({
        name: SalvageContainers.nameOf(workspaceId),
        Image: `${image.repo}:${image.tag}`,
        Entrypoint: ['/bin/sh', '-c', idle],
        Cmd: [],
        Labels: objectLabels,
        Healthcheck: { Test: ['NONE'] },
        HostConfig: {
          Init: true,
          NetworkMode: 'none',
          CapDrop: ['ALL'],
          SecurityOpt: ['no-new-privileges'],
          VolumesFrom: [victimId],
          ...{ Memory, MemorySwap, PidsLimit, OomScoreAdj },
          LogConfig: { Type: 'json-file', Config: { 'max-size': '1m', 'max-file': '1' } },
        },
      });
      await container.start();
    } catch (error) {
      await this.remove(workspaceId).catch(() => undefined);
      throw error;
    }
    return { [Symbol.asyncDispose]: () => this.remove(workspaceId) };
  }

  /** Removes what an earlier run of the agent has left. */
  async sweep(): Promise<void> {
    const { docker } = this.engine;
    const filters = { label: [`${label}=${this.nodeId}`] };
    for (const { Id } of await docker.listContainers({ all: true, filters }))
      await this.engine.removeContainer(Id);
    for (const { Id } of await docker.listImages({ filters: JSON.stringify(filters) }))
      await ignoringStatus([404], docker.getImage(Id).remove({ force: true }));
  }

  private async remove(workspaceId: string): Promise<void> {
    const { repo, tag } = imageOf(workspaceId);
    await this.engine.removeContainer(SalvageContainers.nameOf(workspaceId));
    await ignoringStatus([404], this.engine.docker.getImage(`${repo}:${tag}`).remove({ force: true }));
  }
}

const imageOf = (workspaceId: string) => ({ repo: repository, tag: workspaceId.toLowerCase() });
