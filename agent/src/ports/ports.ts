import type { Config } from '../config/config.js';
import type { Log } from '../shared/log.js';
import type { EventStore } from '../store/event-store.js';
import { type DeclaredPorts, noPorts, parsePortsLabel } from '../workspaces/container/declared-ports.js';
import type { DockerEngine } from '../workspaces/container/docker-engine.js';
import { dockerName, labels } from '../workspaces/container/docker-names.js';
import type { Workspaces } from '../workspaces/workspaces.js';
import { NetworkDialers } from './network-dialers.js';
import { PortScanner } from './port-scanner.js';
import { ContainerProcesses, standaloneProcesses, type WorkspaceProcesses } from './workspace-processes.js';
import { WorkspaceSockets } from './workspace-sockets.js';

export interface PortsDeps {
  /** Null in the standalone role. */
  readonly engine: DockerEngine | null;
  readonly workspaces: Workspaces;
  readonly events: EventStore;
  readonly log: Log;
}

/** The listening ports of this node's workspaces, and connections to them. */
export class Ports implements AsyncDisposable {
  readonly processes: WorkspaceProcesses;
  readonly sockets: WorkspaceSockets;
  readonly scanner: PortScanner;
  private readonly dialers: NetworkDialers;

  constructor(
    { port, ports, workspaces: { baseDir } }: Config,
    { engine, workspaces, events, log }: PortsDeps,
  ) {
    this.dialers = new NetworkDialers(log);
    this.processes = engine ? containerProcesses(engine) : standaloneProcesses(baseDir);
    this.sockets = new WorkspaceSockets({
      procFolder: '/proc',
      processes: this.processes,
      dialers: this.dialers,
    });
    this.scanner = new PortScanner(
      { ...ports.scan, excluded: new Set([...ports.scan.excluded, port]) },
      {
        running: () => workspaces.runningIds(),
        declared: (workspaceId) => declaredPorts(engine, workspaceId),
        listening: (workspaceIds) => this.sockets.listening(workspaceIds),
        events,
        log,
        now: () => new Date(),
      },
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.scanner[Symbol.asyncDispose]();
    await this.dialers[Symbol.asyncDispose]();
  }
}

async function declaredPorts(engine: DockerEngine | null, workspaceId: string): Promise<DeclaredPorts> {
  const container = await engine?.inspect(dockerName(workspaceId));
  return container ? parsePortsLabel(container.Config.Labels[labels.ports]) : noPorts;
}

function containerProcesses(engine: DockerEngine): ContainerProcesses {
  const inspect = (workspaceId: string) => engine.runningContainer(dockerName(workspaceId));
  return new ContainerProcesses(inspect, { proc: '/proc', cgroup: '/sys/fs/cgroup' });
}
