import type { SessionRecord } from '../../agent/src/agent-sessions/session-record.js';
import type {
  ConversationSink,
  Conversations,
  CrashReport,
  EndedPrompt,
  StartedPrompt,
} from '../../agent/src/conversation/conversation.js';
import type { Notice } from '../../agent/src/conversation/notice.js';
import type { InteractionServerFrame } from '../../protocol/interaction-frames.js';

type RecordedCall = readonly [what: string, ...details: unknown[]];

/** A conversation that records its calls in order. */
class RecordedSink implements ConversationSink {
  readonly calls: RecordedCall[] = [];
  readonly viewerCount = 0;
  storesPrompts = true;

  storePrompt({ text }: StartedPrompt): void {
    if (!this.storesPrompts) throw new Error('disk full');
    this.calls.push(['storePrompt', text]);
  }
  storeRemaining(): void {
    this.calls.push(['storeRemaining']);
  }
  sessionChanged({ restartCount }: SessionRecord): void {
    if (restartCount > 0) this.calls.push(['restarted', restartCount]);
  }
  promptStarted({ text }: StartedPrompt): void {
    this.calls.push(['promptStarted', text]);
  }
  update(): void {
    this.calls.push(['update']);
  }
  permissionRequested(): void {}
  interaction(frame: InteractionServerFrame): void {
    this.calls.push([frame.type, frame]);
  }
  promptEnded({ stopReason, errorMessage }: EndedPrompt): void {
    this.calls.push(['promptEnded', stopReason, errorMessage]);
  }
  backgroundWork(count: number): void {
    this.calls.push(['backgroundWork', count]);
  }
  promptRetried({ attempt, delayMs }: { readonly attempt: number; readonly delayMs: number }): void {
    this.calls.push(['promptRetried', attempt, delayMs]);
  }
  notice({ code, text }: Notice): void {
    this.calls.push(['notice', code, text]);
  }
  hostStatus(status: string): void {
    this.calls.push(['hostStatus', status]);
  }
  agentStatus(): void {}
  crashed({ isRecovered, stderr }: CrashReport): void {
    this.calls.push(['crashed', isRecovered, stderr]);
  }
  closeViewers(code: number, reason: string): void {
    this.calls.push(['closeViewers', code, reason]);
  }

  of(what: string): RecordedCall[] {
    return this.calls.filter(([name]) => name === what);
  }
}

export class RecordedConversations implements Conversations {
  readonly sink = new RecordedSink();
  readonly forgotten: string[] = [];

  of(): ConversationSink {
    return this.sink;
  }

  forget({ sessionId }: { readonly sessionId: string }): void {
    this.forgotten.push(sessionId);
  }
}
