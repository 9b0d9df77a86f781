import type { ContentChunk, SessionNotification, ToolCall, ToolCallUpdate } from '@agentclientprotocol/sdk';
import { maxMessageBytes } from '../../../protocol/agent-callbacks.js';
import type { SessionRecord } from '../agent-sessions/session-record.js';
import type { StartedPrompt } from '../conversation/conversation.js';
import type { Notice } from '../conversation/notice.js';
import type { Log } from '../shared/log.js';
import { type Draft, type NewDraft, newDraft, StreamingText } from './draft.js';
import type { MessageOutbox } from './message-outbox.js';
import { describeUpdate, headOf } from './message-text.js';
import { ToolCalls } from './tool-calls.js';

/** Updates are on disk within this time: 0.3 s after a pause, else 1 s. */
const writeEveryMs = 1_000;
const writeSoonMs = 300;
/** Limits of unwritten text and messages in memory. */
const maxWaitingBytes = 1_048_576;
const maxWaitingDrafts = 200;
const maxUnwrittenDrafts = 1_000;

interface TranscriptDeps {
  readonly outbox: MessageOutbox;
  /** Wakes the delivery; `now` skips the wait for a fuller batch. */
  readonly wake: (workspaceId: string, how: { readonly now: boolean }) => void;
  readonly log: Log;
  readonly now: () => Date;
}

/** Converts the updates of one session to chat messages and writes them to the outbox in order. */
export class Transcript {
  private drafts: Draft[] = [];
  private streaming: StreamingText | null = null;
  private waitingBytes = 0;
  private timer: NodeJS.Timeout | null = null;
  private flushedAt = 0;
  private readonly tools: ToolCalls;

  constructor(
    private session: SessionRecord,
    private readonly deps: TranscriptDeps,
  ) {
    this.tools = new ToolCalls(() => deps.now().getTime());
  }

  sessionChanged(session: SessionRecord): void {
    if (session.chatSessionId !== this.session.chatSessionId) this.write();
    this.session = session;
  }

  /** Runs inside the caller's commit. @throws AgentError when the outbox is full */
  storePrompt({ messageId, text, origin }: StartedPrompt): void {
    this.closeStreaming();
    this.writeDrafts();
    const message = { messageId, role: 'user', origin, content: text } as const;
    this.store(newDraft(message, this.deps.now(), { isOpen: false }));
  }

  /** A prompt that the control plane knows is sent with the next message of the turn. */
  promptStored({ isKnown }: Pick<StartedPrompt, 'isKnown'>): void {
    this.dropClosedDrafts();
    if (!isKnown) this.wake(true);
  }

  record({ update }: SessionNotification): void {
    if (this.session.chatSessionId === null) return;
    switch (update.sessionUpdate) {
      case 'agent_message_chunk':
        this.addChunk('assistant', update);
        break;
      case 'agent_thought_chunk':
        this.addChunk('thinking', update);
        break;
      case 'plan':
        this.addComplete({ role: 'plan', content: describeUpdate.plan(update) });
        break;
      case 'tool_call':
        // A tool call ends the message before it.
        this.closeStreaming();
        this.recordTool(update);
        break;
      case 'tool_call_update':
        this.recordTool(update);
    }
  }

  /** Runs inside the caller's commit. When the commit fails, `turnEnded` writes the drafts. */
  storeRemaining(notice: Notice | null): void {
    this.endOpenMessages();
    if (notice) this.addNoticeDraft(notice);
    this.writeDrafts();
  }

  /** Writes a notice outside of a turn at once. */
  addNotice(notice: Notice): void {
    this.addNoticeDraft(notice);
    this.write();
    this.wake(true);
  }

  /** Called after `storeRemaining`, whether its commit succeeded or not. */
  turnEnded(): void {
    const last = this.drafts.at(-1);
    if (last && !this.deps.outbox.has(this.session.workspaceId, last.fields.messageId)) this.write();
    else this.dropClosedDrafts();
    // A pending flush would delay the first text of the next turn.
    this.stopTimer();
    this.wake(true);
  }

  /** Writes all drafts. No update follows. */
  end(): void {
    this.endOpenMessages();
    this.write();
    this.stopTimer();
  }

  private endOpenMessages(): void {
    this.closeStreaming();
    for (const call of this.tools.takeAll()) this.addTool(call);
  }

  private addChunk(role: 'assistant' | 'thinking', { content, messageId }: ContentChunk): void {
    const key = `${role} ${messageId ?? ''}`;
    if (this.streaming?.key !== key) {
      this.closeStreaming();
      this.streaming = new StreamingText(key, this.deps.now().getTime());
    }
    for (let rest = this.streaming.take(describeUpdate.block(content)); rest !== ''; )
      rest = this.addText(role, rest);
    this.writeSoon();
  }

  /** @returns the text that did not fit into the message */
  private addText(role: 'assistant' | 'thinking', text: string): string {
    const last = this.drafts.at(-1);
    const open = last?.isOpen ? last : this.add({ role, content: '' }, { isOpen: true });
    const head = headOf(text, maxMessageBytes - open.bytes);
    const bytes = Buffer.byteLength(head);
    open.add(head, bytes);
    this.waitingBytes += bytes;
    const rest = text.slice(head.length);
    if (rest !== '') open.close();
    return rest;
  }

  private recordTool(update: ToolCall | ToolCallUpdate): void {
    for (const call of this.tools.record(update)) this.addTool(call);
    this.writeSoon();
  }

  private addTool(call: ToolCall): void {
    this.addComplete({
      role: 'tool',
      content: describeUpdate.tool(call),
      toolMetadata: describeUpdate.toolMetadata(call),
    });
  }

  private addNoticeDraft({ code, text }: Notice): void {
    this.addComplete({ role: 'system', origin: 'system', content: text, toolMetadata: { notice: code } });
  }

  private addComplete(message: NewDraft): void {
    this.closeStreaming();
    const draft = this.add(message, { isOpen: false });
    this.waitingBytes += draft.bytes;
    this.writeSoon();
  }

  private closeStreaming(): void {
    this.streaming = null;
    this.drafts.at(-1)?.close();
  }

  private add(message: NewDraft, { isOpen }: { readonly isOpen: boolean }): Draft {
    const draft = newDraft(message, this.deps.now(), { isOpen });
    this.drafts.push(draft);
    return draft;
  }

  private writeSoon(): void {
    if (this.waitingBytes >= maxWaitingBytes || this.drafts.length >= maxWaitingDrafts) this.write();
    else this.timer ??= setTimeout(() => this.flush(), this.untilFlush());
  }

  private untilFlush(): number {
    const restMs = this.deps.now().getTime() - this.flushedAt;
    return Math.min(Math.max(writeEveryMs - restMs, writeSoonMs), writeEveryMs);
  }

  private flush(): void {
    this.timer = null;
    this.flushedAt = this.deps.now().getTime();
    for (const call of this.tools.slow()) this.addTool(call);
    if (this.isPartDue()) this.drafts.at(-1)?.close();
    this.write();
    if (this.drafts.length > 0 || !this.tools.isEmpty) this.writeSoon();
  }

  private isPartDue(): boolean {
    const open = this.drafts.at(-1);
    if (!open?.isOpen || !this.streaming) return false;
    return this.streaming.endsPart(open.fields.startedAt.getTime(), this.deps.now().getTime());
  }

  /** Writes in its own commit. A failed write is repeated with the next one. */
  private write(): void {
    this.stopTimer();
    if (!this.drafts.some(({ isDirty }) => isDirty)) return;
    try {
      this.deps.outbox.commit(() => this.writeDrafts());
      this.dropClosedDrafts();
      this.wake(false);
    } catch (error) {
      const { workspaceId, sessionId } = this.session;
      this.deps.log.error('Could not write messages', { workspaceId, sessionId, error });
      this.waitingBytes = 0;
      // A full disk must not fill the memory too.
      this.drafts.splice(0, Math.max(0, this.drafts.length - maxUnwrittenDrafts));
    }
  }

  private writeDrafts(): void {
    for (const draft of this.drafts) if (draft.isDirty) this.store(draft);
  }

  private store(draft: Draft): void {
    const { workspaceId, chatSessionId } = this.session;
    if (chatSessionId === null || draft.isDropped) return;
    const { startedAt, ...fields } = draft.fields;
    const { content, isOpen } = draft;
    const message = { workspaceId, chatSessionId, ...fields, content, isOpen };
    draft.isDropped = !this.deps.outbox.write({ ...message, createdAt: startedAt.toISOString() });
  }

  /** Drops committed drafts, except open ones. */
  private dropClosedDrafts(): void {
    this.drafts = this.drafts.filter(({ isOpen }) => isOpen);
    for (const draft of this.drafts) draft.isDirty = false;
    this.waitingBytes = 0;
  }

  private wake(now: boolean): void {
    if (this.session.chatSessionId !== null) this.deps.wake(this.session.workspaceId, { now });
  }

  private stopTimer(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
  }
}
