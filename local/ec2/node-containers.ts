import Docker from 'dockerode';

/**
 * The containers of one node, as its machine would hold them: they stop with its power, come back
 * with it, and are gone with its disk. The agent labels everything it makes with its node.
 */
export interface NodeContainers {
  /** Stops what runs; what it stopped comes back with `start`. */
  stop(nodeId: string): Promise<void>;
  start(nodeId: string): Promise<void>;
  /** Removes containers, volumes and networks. */
  remove(nodeId: string): Promise<void>;
}

export const noContainers: NodeContainers = {
  stop: async () => undefined,
  start: async () => undefined,
  remove: async () => undefined,
};

const powerCutExitCodes = new Set([137, 143]);

export class DockerNodeContainers implements NodeContainers {
  constructor(private readonly docker: Docker) {}

  async stop(nodeId: string): Promise<void> {
    const containers = await this.list(nodeId, ['running']);
    await settle(containers.map(({ Id }) => this.docker.getContainer(Id).stop({ t: 1 })));
  }

  async start(nodeId: string): Promise<void> {
    const containers = await this.list(nodeId, ['exited']);
    const cut = await Promise.all(
      containers.map(async ({ Id }) => {
        const { State } = await this.docker.getContainer(Id).inspect();
        return powerCutExitCodes.has(State.ExitCode) ? Id : undefined;
      }),
    );
    // One that ended otherwise was stopped by the agent, which keeps it for a reason of its own.
    await settle(cut.flatMap((id) => (id ? [this.docker.getContainer(id).start()] : [])));
  }

  async remove(nodeId: string): Promise<void> {
    const containers = await this.list(nodeId);
    await settle(containers.map(({ Id }) => this.docker.getContainer(Id).remove({ force: true, v: true })));
    const { Volumes } = await this.docker.listVolumes({ filters: { label: [label(nodeId)] } });
    await settle((Volumes ?? []).map(({ Name }) => this.docker.getVolume(Name).remove({ force: true })));
    const networks = await this.docker.listNetworks({ filters: { label: [label(nodeId)] } });
    await settle(networks.map(({ Id }) => this.docker.getNetwork(Id).remove()));
  }

  private list(nodeId: string, status?: string[]) {
    const filters = { label: [label(nodeId)], ...(status ? { status } : {}) };
    return this.docker.listContainers({ all: true, filters });
  }
}

const label = (nodeId: string) => `svc.node=${nodeId}`;

/** Waits for all; one that is gone or already so is as wanted. */
async function settle(calls: readonly Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(calls);
  const failed = results.find((result) => result.status === 'rejected' && !isAlreadySo(result.reason));
  if (failed?.status === 'rejected') throw failed.reason;
}

function isAlreadySo(error: unknown): boolean {
  const statusCode = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined;
  return statusCode === 304 || statusCode === 404;
}

/** The Docker engine of this machine, or nothing when none answers. */
export async function findDocker(): Promise<Docker | undefined> {
  const docker = new Docker({ timeout: 60_000 });
  try {
    await Promise.race([
      docker.ping(),
      new Promise((_resolve, reject) => AbortSignal.timeout(2_000).addEventListener('abort', reject)),
    ]);
    return docker;
  } catch {
    return undefined;
  }
}
