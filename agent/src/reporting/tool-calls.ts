import type { ToolCall, ToolCallUpdate } from '@agentclientprotocol/sdk';
import * as z from 'zod/mini';

/** A call that takes longer is reported before it ends. */
const reportAfterMs = 2_000;
/** With more open calls, the oldest is reported as it is. */
const maxCalls = 200;
/** Limit of the collected output of a command, in characters. */
const maxOutput = 1_048_576;
/** A piece of the output of a command. Codex sends it when the client declares the extension. */
const OutputPiece = z.object({ terminal_output_delta: z.object({ data: z.string() }) });

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
  const output = outputOf(before, update);
  return {
    title: 'Tool',
    ...before,
    ...changed,
    toolCallId: update.toolCallId,
    ...(output === null ? {} : { rawOutput: output }),
  };
}

/** The collected output of a command with the piece of the update; null without a piece. */
function outputOf(before: ToolCall | undefined, { _meta }: ToolCall | ToolCallUpdate): string | null {
  const { data } = OutputPiece.safeParse(_meta);
  if (!data) return null;
  const earlier = typeof before?.rawOutput === 'string' ? before.rawOutput : '';
  return (earlier + data.terminal_output_delta.data).slice(0, maxOutput);
}
