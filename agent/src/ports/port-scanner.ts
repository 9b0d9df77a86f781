import type { WorkspacePort, WorkspacePorts } from '../../../protocol/node-api.js';
import type { Log } from '../shared/log.js';
import { SingleFlight } from '../shared/single-flight.js';
import { TokenBucket } from '../shared/token-bucket.js';
import type { EventStore } from '../store/event-store.js';
import { type DeclaredPorts, declaredLabel, noPorts } from '../workspaces/container/declared-ports.js';
import type { ListeningSocket } from './listening-sockets.js';

export interface PortScanOptions {
  readonly isEnabled: boolean;
  readonly intervalMs: number;
  readonly excluded: ReadonlySet<number>;
  /** First ephemeral port: the kernel gives these to clients. */
  readonly ephemeralMin: number;
}

export interface PortScannerDeps {
  /** Workspaces that run now. */
  readonly running: () => readonly string[];
  readonly listening: (
    workspaceIds: readonly string[],
  ) => Promise<ReadonlyMap<string, readonly ListeningSocket[]>>;
  /** Ports that the configuration of a running workspace names. */
  readonly declared: (workspaceId: string) => Promise<DeclaredPorts>;
  readonly events: Pick<EventStore, 'add'>;
  readonly log: Log;
  readonly now: () => Date;
}

/** Limit of the list per workspace. */
const maxPorts = 100;
/** Highest age of a list that is returned without a new scan. */
const freshMs = 1_000;
/** A service that restarts all the time must not push other events out. */
const eventRate = { burst: 20, perSecond: 0.1 };

/** Finds the ports on which running workspaces listen, and records changes as events. */
export class PortScanner implements AsyncDisposable {
  private known = new Map<string, ReadonlyMap<number, WorkspacePort>>();
  private declared: ReadonlyMap<string, DeclaredPorts> = new Map();
  private readonly buckets = new Map<string, TokenBucket>();
  private timer: NodeJS.Timeout | undefined;
  private readonly scanning = new SingleFlight();
  private scannedAt: Date | null = null;
  private failure: string | null = null;

  constructor(
    private readonly options: PortScanOptions,
    private readonly deps: PortScannerDeps,
  ) {}

  start(): void {
    if (!this.options.isEnabled) return;
    this.timer = setInterval(() => void this.scan(), this.options.intervalMs);
  }

  async list(workspaceId: string): Promise<WorkspacePorts> {
    const { isEnabled } = this.options;
    const age = this.deps.now().getTime() - (this.scannedAt?.getTime() ?? 0);
    if (isEnabled && age > freshMs) await this.scan();
    return {
      ports: [...(this.known.get(workspaceId)?.values() ?? [])].sort((a, b) => a.port - b.port),
      forwardPorts: this.forwardPorts(workspaceId, await this.declaredOf(workspaceId)),
      diagnostics: {
        portScanEnabled: isEnabled,
        scannerActive: this.timer !== undefined && this.failure === null,
        lastScanAt: this.scannedAt?.toISOString() ?? null,
        error: this.failure,
      },
    };
  }

  /** The list of ports does not depend on this, so an error leaves the last known ones. */
  private async declaredOf(workspaceId: string): Promise<DeclaredPorts> {
    return this.deps.declared(workspaceId).catch(() => this.declared.get(workspaceId) ?? noPorts);
  }

  /** Ports of `forwardPorts`, whether something listens or not. */
  private forwardPorts(workspaceId: string, declared: DeclaredPorts): WorkspacePorts['forwardPorts'] {
    return declared.forwarded
      .filter((port) => !this.options.excluded.has(port))
      .map((port) => ({
        port,
        label: declaredLabel(declared, port) ?? portLabel(port),
        url: previewPath(workspaceId, port),
        listening: this.known.get(workspaceId)?.has(port) ?? false,
      }))
      .sort((a, b) => a.port - b.port);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.timer);
    this.timer = undefined;
    await this.scanning.current;
  }

  private scan(): Promise<void> {
    return this.scanning.run(() => this.runScan());
  }

  private async runScan(): Promise<void> {
    const running = this.deps.running();
    try {
      this.declared = new Map(
        await Promise.all(running.map(async (id) => [id, await this.declaredOf(id)] as const)),
      );
      const found = running.length > 0 ? await this.deps.listening(running) : new Map();
      this.apply(found);
      this.failure = null;
    } catch (error) {
      if (this.failure === null) this.deps.log.warn('Port scan failed', { error });
      this.failure = 'Port scan is not possible on this machine';
    }
    this.scannedAt = this.deps.now();
  }

  private apply(found: ReadonlyMap<string, readonly ListeningSocket[]>): void {
    const next = new Map<string, ReadonlyMap<number, WorkspacePort>>();
    for (const [workspaceId, sockets] of found) next.set(workspaceId, this.portsOf(workspaceId, sockets));
    for (const workspaceId of new Set([...this.known.keys(), ...next.keys()])) {
      this.reportChanges(workspaceId, this.known.get(workspaceId), next.get(workspaceId));
      if (!next.has(workspaceId)) this.buckets.delete(workspaceId);
    }
    this.known = next;
  }

  private portsOf(workspaceId: string, sockets: readonly ListeningSocket[]) {
    const { excluded, ephemeralMin } = this.options;
    const before = this.known.get(workspaceId);
    const declared = new Set(this.declared.get(workspaceId)?.forwarded);
    const isClient = (port: number) => port >= ephemeralMin && !declared.has(port);
    const ports = new Map<number, WorkspacePort>();
    for (const { port, address } of sockets) {
      if (excluded.has(port) || isClient(port) || ports.has(port) || ports.size >= maxPorts) continue;
      ports.set(port, before?.get(port) ?? this.describe(workspaceId, port, address));
    }
    return ports;
  }

  private describe(workspaceId: string, port: number, address: string): WorkspacePort {
    return {
      port,
      address,
      label: declaredLabel(this.declared.get(workspaceId) ?? noPorts, port) ?? portLabel(port),
      url: previewPath(workspaceId, port),
      detectedAt: this.deps.now().toISOString(),
    };
  }

  private reportChanges(
    workspaceId: string,
    before: ReadonlyMap<number, WorkspacePort> = new Map(),
    after: ReadonlyMap<number, WorkspacePort> = new Map(),
  ): void {
    for (const [port, { address, label, url }] of after) {
      if (before.has(port)) continue;
      const message = `${label} listens on port ${port}`;
      this.addEvent(workspaceId, { type: 'port.detected', message, detail: { port, address, label, url } });
    }
    for (const [port, { label }] of before) {
      if (after.has(port)) continue;
      this.addEvent(workspaceId, {
        type: 'port.closed',
        message: `Port ${port} is closed`,
        detail: { port, label },
      });
    }
  }

  private addEvent(
    workspaceId: string,
    event: { readonly type: string; readonly message: string; readonly detail: Record<string, unknown> },
  ): void {
    const now = () => this.deps.now().getTime();
    const bucket = this.buckets.get(workspaceId) ?? new TokenBucket(eventRate, now);
    this.buckets.set(workspaceId, bucket);
    if (bucket.take()) this.deps.events.add({ workspaceId, level: 'info', ...event });
  }
}

const labels: Readonly<Record<number, string>> = {
  80: 'HTTP',
  443: 'HTTPS',
  3000: 'Dev Server',
  3001: 'Dev Server',
  4000: 'Dev Server',
  4200: 'Angular',
  5000: 'Flask',
  5173: 'Vite',
  5174: 'Vite',
  5432: 'PostgreSQL',
  6379: 'Redis',
  8000: 'Django',
  8001: 'Dev Server',
  8080: 'HTTP Alt',
  8081: 'HTTP Alt',
  8888: 'Jupyter',
  9000: 'Dev Server',
  27017: 'MongoDB',
};

function previewPath(workspaceId: string, port: number): string {
  return `/workspaces/${workspaceId}/ports/${port}/`;
}

/** The usual service of a port. */
export function portLabel(port: number): string {
  return labels[port] ?? `Port ${port}`;
}
