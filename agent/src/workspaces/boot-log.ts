import { monotonicFactory } from 'ulid';
import type { BootLogEntry } from '../../../protocol/callbacks.js';
import type { WorkspaceCallbacks } from '../control-plane/workspace-callbacks.js';
import type { BootDiagnostics } from '../node/boot-diagnostics.js';
import type { Log } from '../shared/log.js';
import { redactText } from '../shared/redact.js';
import type { Workspace } from './workspace.js';

type Step = Pick<BootLogEntry, 'step' | 'message'>;

/** Writes the boot log of workspaces in order, without delaying their start. */
export class BootLog implements AsyncDisposable {
  private readonly tails = new Map<string, Promise<void>>();
  private readonly ended = new AbortController();
  /** The log is read in the order of its ids, and two entries may be of one millisecond. */
  private readonly newEntryId = monotonicFactory();

  constructor(
    private readonly callbacks: Pick<WorkspaceCallbacks, 'bootLog'>,
    private readonly log: Log,
    /** Sent before the first entry of the first workspace that has one. */
    private readonly diagnostics: Pick<BootDiagnostics, 'take'> = { take: () => null },
  ) {}

  /** Runs one step and logs its start and its end. */
  async step<T>(workspace: Workspace, step: Step, work: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    this.add(workspace, { ...step, status: 'started' });
    try {
      const result = await work();
      const durationMs = Math.round(performance.now() - startedAt);
      this.add(workspace, { ...step, status: 'completed', durationMs });
      return result;
    } catch (error) {
      const durationMs = Math.round(performance.now() - startedAt);
      const detail = detailOf(error);
      this.add(workspace, { ...step, status: 'failed', detail, durationMs });
      throw error;
    }
  }

  add(workspace: Workspace, entry: Omit<BootLogEntry, 'timestamp'>): void {
    const nodeEntry = this.diagnostics.take();
    if (nodeEntry) this.send(workspace, nodeEntry);
    this.send(workspace, entry);
  }

  private send(workspace: Workspace, entry: Omit<BootLogEntry, 'timestamp'>): void {
    const { workspaceId, generation } = workspace;
    const clean: BootLogEntry = {
      ...entry,
      message: redactText(entry.message).slice(0, 1_024),
      ...(entry.detail === undefined ? {} : { detail: redactText(entry.detail).slice(0, 4_096) }),
      timestamp: new Date().toISOString(),
    };
    this.log.info('Boot log', { workspaceId, generation, ...clean });
    const body = { entryId: this.newEntryId(), generation, entry: clean };
    const before = this.tails.get(workspaceId) ?? Promise.resolve();
    const tail = before
      .then(() => this.callbacks.bootLog(workspace, body, this.ended.signal))
      .catch((error: unknown) => this.log.warn('Boot log entry not delivered', { workspaceId, error }));
    this.tails.set(workspaceId, tail);
    tail.finally(() => {
      if (this.tails.get(workspaceId) === tail) this.tails.delete(workspaceId);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.ended.abort();
    await Promise.all(this.tails.values());
  }
}

function detailOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'detail' in error && typeof error.detail === 'string' ? error.detail : error.message;
}
