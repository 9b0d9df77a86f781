import { setTimeout as wait } from 'node:timers/promises';
import type { SessionNotification } from '@agentclientprotocol/sdk';
import type { SessionKey } from '../agent-sessions/session-record.js';
import type { ToolCallListener } from '../conversation/tool-call-listener.js';
import { KeyLock } from '../shared/key-lock.js';
import type { Log } from '../shared/log.js';
import { SingleFlight } from '../shared/single-flight.js';
import { type Attribution, type CollectedChunk, uploadOfChunk } from './chunk-upload.js';
import type { ControlGroup } from './control-group.js';
import { type CollectorLimits, ResourceCollector } from './resource-collector.js';
import type { SampleTime } from './resource-sampler.js';
import type { ResourceSpool } from './resource-spool.js';
import type { ResourceUploader } from './resource-uploader.js';
import { ToolSpans } from './tool-spans.js';

interface HistoryDeps {
  readonly nodeId: string;
  /** Workspaces that run now. */
  readonly running: () => readonly string[];
  /** Null before a session of a project began in the workspace. */
  readonly attribution: (workspaceId: string) => Attribution | null;
  /** The control group of the workspace's container, if it runs and the kernel has one. */
  readonly findGroup: (workspaceId: string) => Promise<ControlGroup | null>;
  readonly spool: ResourceSpool;
  readonly uploader: ResourceUploader;
  readonly now: () => SampleTime;
  readonly log: Log;
}

/**
 * Samples the containers of this node, and sends chunks of the samples with the times of tool
 * calls. A chunk is spooled before it is sent, so that a restart or an outage loses at most the
 * open one.
 */
export class ResourceHistory implements ToolCallListener, AsyncDisposable {
  private readonly collectors = new Map<string, ResourceCollector>();
  private readonly spans = new Map<string, ToolSpans>();
  private readonly lock = new KeyLock();
  private timer: NodeJS.Timeout | null = null;
  private readonly sampling = new SingleFlight();
  private readonly sending = new SingleFlight();

  constructor(
    private readonly limits: CollectorLimits & { readonly finalTimeoutMs: number },
    private readonly deps: HistoryDeps,
  ) {}

  start(): void {
    this.timer = setInterval(() => this.tick(), this.limits.sampleIntervalMs);
    this.timer.unref();
  }

  update({ workspaceId, sessionId }: SessionKey, { update }: SessionNotification): void {
    if (update.sessionUpdate === 'tool_call' || update.sessionUpdate === 'tool_call_update')
      this.spansOf(workspaceId).record(sessionId, update, this.deps.now().wallMs);
  }

  turnEnded({ workspaceId, sessionId }: SessionKey): void {
    this.spans.get(workspaceId)?.endSession(sessionId, this.deps.now().wallMs);
  }

  /** Spools and sends the last chunk of a workspace that ends, within the upload's timeout. */
  async end(workspaceId: string): Promise<void> {
    await this.guarded(workspaceId, async () => {
      const collector = this.collectors.get(workspaceId);
      this.collectors.delete(workspaceId);
      this.spans.delete(workspaceId);
      const { now, uploader } = this.deps;
      await this.publish(collector?.end(now()) ?? []);
      const upload = uploader.upload({ workspaceId, monotonicMs: now().monotonicMs, isFinal: true });
      await Promise.race([upload, wait(this.limits.finalTimeoutMs, undefined, { ref: false })]);
    });
  }

  /** Drops what is left of a workspace that was deleted. */
  async remove(workspaceId: string): Promise<void> {
    await this.guarded(workspaceId, () => this.deps.spool.removeWorkspace(workspaceId));
  }

  /** The last chunks of all workspaces. The next start of the agent sends what is left. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    await Promise.all([this.sampling.current, this.sending.current]);
    await Promise.all([...this.collectors.keys()].map((workspaceId) => this.end(workspaceId)));
  }

  /**
   * Sampling never waits for the control plane: a slow one would leave gaps. Neither begins again
   * before it has ended.
   */
  private tick(): void {
    void this.sampling.run(() => this.sampleAll());
    void this.sending.run(() =>
      this.sendAll().catch((error: unknown) => this.deps.log.warn('Resource history failed', { error })),
    );
  }

  /** Samples each running workspace once. */
  async sampleAll(): Promise<void> {
    await Promise.all(this.deps.running().map((id) => this.guarded(id, () => this.sample(id))));
  }

  /** Sends what is spooled. */
  async sendAll(): Promise<void> {
    const { spool, uploader, now } = this.deps;
    const { monotonicMs } = now();
    const spooled = await spool.workspaces();
    await Promise.all(
      spooled.map((workspaceId) =>
        this.guarded(`upload ${workspaceId}`, () => uploader.upload({ workspaceId, monotonicMs })),
      ),
    );
  }

  private async sample(workspaceId: string): Promise<void> {
    const { attribution, running, now } = this.deps;
    const of = attribution(workspaceId);
    // It may have ended while this waited for its end.
    if (of === null || !running().includes(workspaceId)) return;
    const collector = this.collectors.get(workspaceId) ?? (await this.collector(workspaceId));
    if (!collector) return;
    const { chunks, hasEnded } = collector.tick(now(), of);
    if (hasEnded) this.collectors.delete(workspaceId);
    await this.publish(chunks);
  }

  private async collector(workspaceId: string): Promise<ResourceCollector | null> {
    const { nodeId, findGroup } = this.deps;
    const group = await findGroup(workspaceId);
    if (group === null) return null;
    const spans = this.spansOf(workspaceId);
    const collector = new ResourceCollector(this.limits, { workspaceId, nodeId, group, spans });
    this.collectors.set(workspaceId, collector);
    return collector;
  }

  private async publish(chunks: readonly CollectedChunk[]): Promise<void> {
    const { spool, log } = this.deps;
    for (const chunk of chunks) {
      const { workspaceId, endedAt } = chunk;
      const textOf = (sequence: number) => JSON.stringify(uploadOfChunk(chunk, sequence));
      const sequence = await spool.publish(workspaceId, endedAt, textOf);
      if (sequence === null)
        log.warn('A chunk of resource history is larger than the spool', { workspaceId });
    }
  }

  private spansOf(workspaceId: string): ToolSpans {
    const spans = this.spans.get(workspaceId) ?? new ToolSpans();
    this.spans.set(workspaceId, spans);
    return spans;
  }

  /** One thing at a time for each key. Never throws: a workspace must start and stop without it. */
  private async guarded(key: string, work: () => Promise<void>): Promise<void> {
    await this.lock
      .run(key, work)
      .catch((error: unknown) => this.deps.log.warn('Resource history failed', { key, error }));
  }
}
