import { setTimeout as wait } from 'node:timers/promises';
import type { AgentType } from '../../../protocol/agent-sessions.js';
import {
  type Harness,
  HarnessError,
  type HarnessExit,
  type Harnesses,
  type HarnessListener,
  type HarnessRequest,
} from '../harness/harness.js';

/** The process is still running after SIGKILL. */
export class ProcessNotEnded extends HarnessError {
  constructor() {
    super('failed', 'The coding agent process is still running after SIGKILL. Stop and start the workspace.');
  }
}

/** Holds the harness of a session. A session never has two harness processes. */
export class HarnessSlot {
  private harness: Harness | null = null;
  /** A stopped harness whose process is still running. It blocks the next start. */
  private notEnded: Harness | null = null;
  private type: AgentType | null = null;
  /** Called once for each harness that exits while it holds the slot. */
  onGone: (exit: HarnessExit | null) => void = () => undefined;

  constructor(
    private readonly harnesses: Harnesses,
    private readonly limits: { readonly stopTimeoutMs: number },
  ) {}

  get current(): Harness | null {
    return this.harness;
  }

  get agentType(): AgentType | null {
    return this.harness ? this.type : null;
  }

  /**
   * Starts a harness in the empty slot.
   * @throws HarnessError
   */
  async start(request: HarnessRequest, listener: HarnessListener, signal: AbortSignal): Promise<Harness> {
    if (this.notEnded) throw new ProcessNotEnded();
    let holdsSlot = true;
    const slotListener: HarnessListener = {
      onUpdate: (notification) => (holdsSlot ? listener.onUpdate(notification) : undefined),
      onPermission: (permission, aborted, mode) => listener.onPermission(permission, aborted, mode),
      onElicitation: (elicitation, aborted) => listener.onElicitation(elicitation, aborted),
      onElicitationCompleted: (elicitationId) => listener.onElicitationCompleted(elicitationId),
      onStatus: (status) => listener.onStatus(status),
      onNotice: (notice) => listener.onNotice(notice),
      onBackgroundWork: (count) => {
        if (holdsSlot) listener.onBackgroundWork(count);
      },
    };
    const harness = await this.harnesses.start(request, slotListener, signal);
    if (signal.aborted) {
      await harness.stop();
      signal.throwIfAborted();
    }
    this.harness = harness;
    this.type = request.agentType;
    void harness.exited.then((exit) => {
      slotListener.onBackgroundWork(0);
      holdsSlot = false;
      if (this.notEnded === harness) this.notEnded = null;
      this.vacate(harness, exit);
    });
    return harness;
  }

  /** Stops the harness and empties the slot. Returns false when its process did not end in time. */
  async stop(): Promise<boolean> {
    const { harness } = this;
    if (!harness) return true;
    const timer = new AbortController();
    const late = wait(this.limits.stopTimeoutMs, null, { signal: timer.signal }).catch(() => null);
    try {
      const exit = await Promise.race([harness.stop().catch(() => null), late]);
      if (exit === null) this.notEnded = harness;
      this.vacate(harness, exit);
      return exit !== null;
    } finally {
      timer.abort();
    }
  }

  private vacate(harness: Harness, exit: HarnessExit | null): void {
    if (this.harness !== harness) return;
    this.harness = null;
    this.onGone(exit);
  }
}

/** Hides the message of an unexpected error from callers. */
export function asHarnessError(error: unknown): HarnessError {
  if (error instanceof HarnessError) return error;
  return new HarnessError('failed', 'The coding agent failed', { cause: error });
}
