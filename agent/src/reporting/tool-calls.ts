import type { ToolCall, ToolCallUpdate } from '@agentclientprotocol/sdk';

/** A call that takes longer is reported before it ends. */
const reportAfterMs = 2_000;
/** With more open calls, the oldest is reported as it is. */
const maxCalls = 200;

interface OpenCall {
  readonly startedAt: number;
  isReported: boolean;
  call: ToolCall;
}

/** The open tool calls of a turn, merged from their updates. */
export class ToolCalls {
  private readonly calls = new Map<string, OpenCall>();

  constructor(private readonly now: () => number) {}

  /** @returns calls to report now: ended ones, or the oldest of too many */
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

  /** Returns each call once when it exceeds `reportAfterMs`. */
  slow(): ToolCall[] {
    const since = this.now() - reportAfterMs;
    const slow = [...this.calls.values()].filter(
      ({ isReported, startedAt }) => !isReported && startedAt <= since,
    );
    for (const call of slow) call.isReported = true;
    return slow.map(({ call }) => call);
  }

  /** Returns and forgets all open calls at the end of the turn. */
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

/** A field that is absent or null in the update does not change. */
function merge(before: ToolCall | undefined, update: ToolCall | ToolCallUpdate): ToolCall {
  const changed = Object.fromEntries(
    Object.entries(update).filter(([, value]) => value !== null && value !== undefined),
  );
  return { title: 'Tool', ...before, ...changed, toolCallId: update.toolCallId };
}
