import { createHash } from 'node:crypto';
import type { ToolCall, ToolCallUpdate } from '@agentclientprotocol/sdk';
import {
  boundToolName,
  type ResourceToolSpan,
  resourceHistoryLimits,
  resourceToolKinds,
} from '../../../protocol/resource-history.js';

/** The fields of an update that are read: never its title, input, output and locations. */
type ToolUpdate = Pick<ToolCall | ToolCallUpdate, 'toolCallId' | 'status' | 'kind' | 'name'>;

const ended: readonly unknown[] = ['completed', 'failed', 'cancelled'];

/** The times of the tool calls in one workspace. */
export class ToolSpans {
  private readonly open = new Map<string, ResourceToolSpan>();
  private closed: ResourceToolSpan[] = [];

  record(sessionId: string, update: ToolUpdate, nowMs: number): void {
    const key = `${sessionId} ${update.toolCallId}`;
    const span = { ...(this.open.get(key) ?? this.begin(update, nowMs)), ...named(update) };
    if (ended.includes(update.status)) {
      this.open.delete(key);
      this.close({ ...span, endedAt: Math.max(span.startedAt, nowMs) });
    } else if (this.open.size < resourceHistoryLimits.toolSpans) this.open.set(key, span);
  }

  /** Closes the calls of a session whose turn ended: no update follows. */
  endSession(sessionId: string, nowMs: number): void {
    for (const [key, span] of this.open)
      if (key.startsWith(`${sessionId} `)) {
        this.open.delete(key);
        this.close(cut(span, nowMs));
      }
  }

  /** The spans for a chunk. Calls that still run are in the next chunk too, with the same id. */
  take(nowMs: number): ResourceToolSpan[] {
    const spans = [...this.closed, ...[...this.open.values()].map((span) => cut(span, nowMs))];
    this.closed = [];
    return spans.slice(0, resourceHistoryLimits.toolSpans);
  }

  private begin({ toolCallId }: ToolUpdate, nowMs: number): ResourceToolSpan {
    const id = createHash('sha256').update(toolCallId).digest('hex').slice(0, 16);
    return { id, kind: 'acp_tool_call', startedAt: nowMs, concurrency: this.open.size + 1 };
  }

  private close(span: ResourceToolSpan): void {
    if (this.closed.length < resourceHistoryLimits.toolSpans) this.closed.push(span);
  }
}

function named({ kind, name }: ToolUpdate): Partial<ResourceToolSpan> {
  const known = resourceToolKinds.find((one) => one === kind);
  return {
    ...(kind ? { kind: known ?? 'other' } : {}),
    ...(name ? { toolName: boundToolName(name) } : {}),
  };
}

const cut = (span: ResourceToolSpan, nowMs: number): ResourceToolSpan => ({
  ...span,
  endedAt: Math.max(span.startedAt, nowMs),
  approximate: true,
});
