import type { WorkspacePort, WorkspacePorts } from '../../../protocol/node-api.js';
import type { Log } from '../shared/log.js';
import type { EventStore } from '../store/event-store.js';
import { TokenBucket } from '../terminals/token-bucket.js';
import type { ListeningSocket } from './listening-sockets.js';
import { portLabel } from './port-label.js';

export interface PortScanOptions {
  readonly isEnabled: boolean;
  readonly intervalMs: number;
  readonly excluded: ReadonlySet<number>;
  /** From this port on they are given to clients by the kernel, and no service is meant. */
  readonly ephemeralMin: number;
}

export interface PortScannerParts {
  /** Workspaces that run now. */
  readonly running: () => readonly string[];
  readonly listening: (
    workspaceIds: readonly string[],
  ) => Promise<ReadonlyMap<string, readonly ListeningSocket[]>>;
  readonly events: Pick<EventStore, 'add'>;
  readonly log: Log;
  readonly now: () => Date;
}

/** A workspace may listen on more; nobody reads a longer list. */
const maxPorts = 100;
/** Whoever asks sees what is at most so old. */
const freshMs = 1_000;
/** A service that comes and goes all the time must not push everything else out of the events. */
const eventRate = { burst: 20, perSecond: 0.1 };

/** Knows on which ports the running workspaces listen, and tells when that changes. */
export class PortScanner implements AsyncDisposable {
  private known = new Map<string, ReadonlyMap<number, WorkspacePort>>();
  private readonly buckets = new Map<string, TokenBucket>();
  private timer: NodeJS.Timeout | undefined;
  private scanning: Promise<void> | null = null;
  private scannedAt: Date | null = null;
  private failure: string | null = null;

  constructor(
    private readonly options: PortScanOptions,
    private readonly parts: PortScannerParts,
  ) {}

  start(): void {
    if (!this.options.isEnabled) return;
    this.timer = setInterval(() => void this.scan(), this.options.intervalMs);
  }

  async list(workspaceId: string): Promise<WorkspacePorts> {
    const { isEnabled } = this.options;
    const age = this.parts.now().getTime() - (this.scannedAt?.getTime() ?? 0);
    if (isEnabled && age > freshMs) await this.scan();
    return {
      ports: [...(this.known.get(workspaceId)?.values() ?? [])].sort((a, b) => a.port - b.port),
      diagnostics: {
        portScanEnabled: isEnabled,
        scannerActive: this.timer !== undefined && this.failure === null,
        lastScanAt: this.scannedAt?.toISOString() ?? null,
        error: this.failure,
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.timer);
    this.timer = undefined;
    await this.scanning;
  }

  private scan(): Promise<void> {
    this.scanning ??= this.look().finally(() => {
      this.scanning = null;
    });
    return this.scanning;
  }

  private async look(): Promise<void> {
    const running = this.parts.running();
    try {
      const found = running.length > 0 ? await this.parts.listening(running) : new Map();
      this.take(found);
      this.failure = null;
    } catch (error) {
      if (this.failure === null) this.parts.log.warn('Ports cannot be found', { error });
      this.failure = 'The ports of workspaces cannot be found on this machine';
    }
    this.scannedAt = this.parts.now();
  }

  private take(found: ReadonlyMap<string, readonly ListeningSocket[]>): void {
    const next = new Map<string, ReadonlyMap<number, WorkspacePort>>();
    for (const [workspaceId, sockets] of found) next.set(workspaceId, this.portsOf(workspaceId, sockets));
    for (const workspaceId of new Set([...this.known.keys(), ...next.keys()])) {
      this.tellChanges(workspaceId, this.known.get(workspaceId), next.get(workspaceId));
      if (!next.has(workspaceId)) this.buckets.delete(workspaceId);
    }
    this.known = next;
  }

  private portsOf(workspaceId: string, sockets: readonly ListeningSocket[]) {
    const { excluded, ephemeralMin } = this.options;
    const before = this.known.get(workspaceId);
    const ports = new Map<number, WorkspacePort>();
    for (const { port, address } of sockets) {
      if (excluded.has(port) || port >= ephemeralMin || ports.has(port) || ports.size >= maxPorts) continue;
      ports.set(port, before?.get(port) ?? this.describe(workspaceId, port, address));
    }
    return ports;
  }

  private describe(workspaceId: string, port: number, address: string): WorkspacePort {
    return {
      port,
      address,
      label: portLabel(port),
      url: `/workspaces/${workspaceId}/ports/${port}/`,
      detectedAt: this.parts.now().toISOString(),
    };
  }

  private tellChanges(
    workspaceId: string,
    before: ReadonlyMap<number, WorkspacePort> = new Map(),
    after: ReadonlyMap<number, WorkspacePort> = new Map(),
  ): void {
    for (const [port, { address, label, url }] of after) {
      if (before.has(port)) continue;
      const message = `${label} listens on port ${port}`;
      this.tell(workspaceId, { type: 'port.detected', message, detail: { port, address, label, url } });
    }
    for (const [port, { label }] of before) {
      if (after.has(port)) continue;
      this.tell(workspaceId, {
        type: 'port.closed',
        message: `Port ${port} is closed`,
        detail: { port, label },
      });
    }
  }

  private tell(
    workspaceId: string,
    event: { readonly type: string; readonly message: string; readonly detail: Record<string, unknown> },
  ): void {
    const now = () => this.parts.now().getTime();
    const bucket = this.buckets.get(workspaceId) ?? new TokenBucket(eventRate, now);
    this.buckets.set(workspaceId, bucket);
    if (bucket.take()) this.parts.events.add({ workspaceId, level: 'info', ...event });
  }
}
