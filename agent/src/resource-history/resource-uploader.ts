import { CallbackRefused, isUnavailable, retryAfterMsOf } from '../control-plane/callback-errors.js';
import { KeyLock } from '../shared/key-lock.js';
import type { Log } from '../shared/log.js';
import type { ResourceSpool } from './resource-spool.js';

/** @throws CallbackRefused, CallbackUnavailable */
export type SendChunk = (workspaceId: string, body: unknown) => Promise<void>;

export interface UploadRequest {
  readonly workspaceId: string;
  readonly monotonicMs: number;
  /** Of a workspace that ends: does not wait for the delay after a failure. */
  readonly isFinal?: boolean;
}

interface Delay {
  readonly failures: number;
  readonly untilMs: number;
}

const firstDelayMs = 5_000;
const maxDelayMs = 300_000;

/** Sends the spooled chunks of each workspace in order. */
export class ResourceUploader {
  private readonly lock = new KeyLock();
  private readonly delays = new Map<string, Delay>();

  constructor(
    private readonly spool: ResourceSpool,
    private readonly send: SendChunk,
    private readonly log: Log,
  ) {}

  /**
   * Sends until the first chunk that the control plane cannot take now; that chunk and the later
   * ones stay. A refused chunk is removed: a repeat would be refused too.
   */
  upload({ workspaceId, monotonicMs, isFinal = false }: UploadRequest): Promise<void> {
    return this.lock.run(workspaceId, async () => {
      if (!isFinal && this.isDelayed(workspaceId, monotonicMs)) return;
      try {
        await this.uploadAll(workspaceId);
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        this.postpone(workspaceId, { monotonicMs, error });
      }
    });
  }

  private isDelayed(workspaceId: string, monotonicMs: number): boolean {
    return monotonicMs < (this.delays.get(workspaceId)?.untilMs ?? monotonicMs);
  }

  private async uploadAll(workspaceId: string): Promise<void> {
    for (const sequence of await this.spool.list(workspaceId)) {
      await this.uploadOne(workspaceId, sequence);
      this.delays.delete(workspaceId);
    }
  }

  private async uploadOne(workspaceId: string, sequence: number): Promise<void> {
    const text = await this.spool.read({ workspaceId, sequence });
    if (text === null) return;
    const reason = await this.refusalOf(workspaceId, text);
    if (reason !== null)
      this.log.warn('A chunk of resource history is lost', { workspaceId, sequence, ...reason });
    await this.spool.remove({ workspaceId, sequence });
  }

  /** Null when the control plane has the chunk. Names no text of the response or the chunk. */
  private async refusalOf(workspaceId: string, text: string): Promise<Record<string, unknown> | null> {
    const body = parsed(text);
    if (body === undefined) return { reason: 'The spooled file is damaged' };
    try {
      await this.send(workspaceId, body);
      return null;
    } catch (error) {
      if (!(error instanceof CallbackRefused)) throw error;
      return { status: error.status, code: error.code };
    }
  }

  private postpone(workspaceId: string, failure: { monotonicMs: number; error: unknown }): void {
    const { monotonicMs, error } = failure;
    const failures = this.delays.get(workspaceId)?.failures ?? 0;
    const usualMs = Math.min(firstDelayMs * 2 ** Math.min(failures, 10), maxDelayMs);
    const untilMs = monotonicMs + Math.max(usualMs, retryAfterMsOf(error));
    this.delays.set(workspaceId, { failures: failures + 1, untilMs });
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
