import type { SessionRecord } from '../../agent/src/agent-sessions/session-record.js';
import type {
  ConversationSink,
  Conversations,
  CrashReport,
  EndedPrompt,
  StartedPrompt,
} from '../../agent/src/conversation/conversation.js';

export type Heard = readonly [what: string, ...details: unknown[]];

/** A conversation that only remembers what it was told, in order. */
export class RecordedSink implements ConversationSink {
  readonly heard: Heard[] = [];
  readonly viewerCount = 0;
  keepsPrompts = true;

  keepPrompt({ text }: StartedPrompt): void {
    if (!this.keepsPrompts) throw new Error('disk full');
    this.heard.push(['keepPrompt', text]);
  }
  keepRest(): void {
    this.heard.push(['keepRest']);
  }
  sessionChanged({ restartCount }: SessionRecord): void {
    if (restartCount > 0) this.heard.push(['restarted', restartCount]);
  }
  promptStarted({ text }: StartedPrompt): void {
    this.heard.push(['promptStarted', text]);
  }
  update(): void {
    this.heard.push(['update']);
  }
  permissionRequested(): void {}
  promptEnded({ stopReason, errorMessage }: EndedPrompt): void {
    this.heard.push(['promptEnded', stopReason, errorMessage]);
  }
  promptRetried({ attempt, delayMs }: { readonly attempt: number; readonly delayMs: number }): void {
    this.heard.push(['promptRetried', attempt, delayMs]);
  }
  hostStatus(status: string): void {
    this.heard.push(['hostStatus', status]);
  }
  agentStatus(): void {}
  crashed({ isRecovered, stderr }: CrashReport): void {
    this.heard.push(['crashed', isRecovered, stderr]);
  }
  closeViewers(code: number, reason: string): void {
    this.heard.push(['closeViewers', code, reason]);
  }

  of(what: string): Heard[] {
    return this.heard.filter(([name]) => name === what);
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
