import type { ToolCall, ToolCallUpdate } from '@agentclientprotocol/sdk';

/** A call that takes longer is told before it has ended. */
const reportAfterMs = 2_000;
/** More at once are no calls of one turn; the oldest are told as they are. */
const maxCalls = 200;

interface OpenCall {
  readonly startedAt: number;
  isReported: boolean;
  call: ToolCall;
}

/** The tool calls of a turn that have not ended, put together from their updates. */
export class ToolCalls {
  private readonly calls = new Map<string, OpenCall>();

  constructor(private readonly now: () => number) {}

  /** @returns calls that are to be told now: ended, or too many */
  record(update: ToolCall | ToolCallUpdate): ToolCall[] {
    const open = this.calls.get(update.toolCallId);
    const call = merge(open?.call, update);
    if (call.status === 'completed' || call.status === 'failed') {
      this.calls.delete(update.toolCallId);
      return [call];
    }
    if (open) open.call = call;
    else this.calls.set(update.toolCallId, { startedAt: this.now(), isReported: false, call });
    return this.calls.size > maxCalls ? this.takeOldest() : [];
  }

  /** Calls that have been going on for a while, each once. */
  slow(): ToolCall[] {
    const since = this.now() - reportAfterMs;
    const slow = [...this.calls.values()].filter(
      ({ isReported, startedAt }) => !isReported && startedAt <= since,
    );
    for (const call of slow) call.isReported = true;
    return slow.map(({ call }) => call);
  }

  /** All that have not ended; the turn is over. */
  takeAll(): ToolCall[] {
    const open = [...this.calls.values()].map(({ call }) => call);
    this.calls.clear();
    return open;
  }

  get isEmpty(): boolean {
    return this.calls.size === 0;
  }

  private takeOldest(): ToolCall[] {
    for (const [id, { call }] of this.calls) {
      this.calls.delete(id);
      return [call];
    }
    return [];
  }
}

/** What an update leaves out, or says to be null, stays as it was. */
function merge(before: ToolCall | undefined, update: ToolCall | ToolCallUpdate): ToolCall {
  const changed = Object.fromEntries(
    Object.entries(update).filter(([, value]) => value !== null && value !== undefined),
  );
  return { title: 'Tool', ...before, ...changed, toolCallId: update.toolCallId };
}
