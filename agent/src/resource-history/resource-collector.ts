import type { ResourceGap, ResourceSample } from '../../../protocol/resource-history.js';
import type { Attribution, CollectedChunk } from './chunk-upload.js';
import type { ControlGroup } from './control-group.js';
import { ResourceSampler, type SampleTime } from './resource-sampler.js';
import type { ToolSpans } from './tool-spans.js';

export interface CollectorLimits {
  readonly sampleIntervalMs: number;
  readonly chunkIntervalMs: number;
  readonly maxSamples: number;
}

interface CollectorDeps {
  readonly workspaceId: string;
  readonly nodeId: string;
  readonly group: ControlGroup;
  readonly spans: ToolSpans;
}

interface OpenChunk {
  readonly startedAt: number;
  readonly startedAtMonotonic: number;
  readonly attribution: Attribution;
  readonly samples: ResourceSample[];
  readonly gaps: ResourceGap[];
}

/** Collects the samples of one container into chunks. */
export class ResourceCollector {
  private readonly sampler: ResourceSampler;
  private chunk: OpenChunk | null = null;

  constructor(
    private readonly limits: CollectorLimits,
    private readonly deps: CollectorDeps,
  ) {
    this.sampler = new ResourceSampler(deps.group, limits.sampleIntervalMs);
  }

  /**
   * Takes a sample. Returns chunks that are complete by now: a chunk is of one chat. `hasEnded` is
   * true when the container has ended.
   */
  tick(time: SampleTime, attribution: Attribution): { chunks: CollectedChunk[]; hasEnded: boolean } {
    const chunks = this.isOfOther(attribution) ? this.flush(time, false) : [];
    const taken = this.sampler.take(time);
    if (taken === null) return { chunks: [...chunks, ...this.flush(time, true)], hasEnded: true };
    this.chunk ??= {
      startedAt: time.wallMs - taken.sample.intervalMillis,
      startedAtMonotonic: time.monotonicMs,
      ...{ attribution, samples: [], gaps: [] },
    };
    this.chunk.samples.push(taken.sample);
    if (taken.gap) this.chunk.gaps.push(taken.gap);
    return { chunks: this.isFull(time) ? [...chunks, ...this.flush(time, false)] : chunks, hasEnded: false };
  }

  /** The last chunk, with a last sample. */
  end(time: SampleTime): CollectedChunk[] {
    if (this.chunk === null) return [];
    const last = this.tick(time, this.chunk.attribution);
    return [...last.chunks, ...this.flush(time, true)];
  }

  private isOfOther({ projectId, sessionId, taskId }: Attribution): boolean {
    const present = this.chunk?.attribution;
    if (!present) return false;
    return present.projectId !== projectId || present.sessionId !== sessionId || present.taskId !== taskId;
  }

  private isFull({ monotonicMs }: SampleTime): boolean {
    const { chunkIntervalMs, maxSamples } = this.limits;
    const chunk = this.chunk;
    if (chunk === null) return false;
    return chunk.samples.length >= maxSamples || monotonicMs - chunk.startedAtMonotonic >= chunkIntervalMs;
  }

  private flush({ wallMs }: SampleTime, isFinal: boolean): CollectedChunk[] {
    const chunk = this.chunk;
    this.chunk = null;
    if (chunk === null || chunk.samples.length === 0) return [];
    const { startedAt, attribution, samples, gaps } = chunk;
    const { workspaceId, nodeId, group, spans } = this.deps;
    const toolSpans = spans.take(wallMs);
    const content = { version: 1, samples, toolSpans, ...(gaps.length > 0 ? { gaps } : {}) } as const;
    const { sampleIntervalMs } = this.limits;
    const of = { workspaceId, nodeId, attribution, source: group.source, isFinal, sampleIntervalMs };
    return [{ ...of, content, startedAt, endedAt: wallMs }];
  }
}
