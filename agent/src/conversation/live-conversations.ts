import type { SessionKey, SessionRecord } from '../agent-sessions/session-record.js';
import { noPiggyback, type PiggybackedActivity } from '../reporting/activity.js';
import type { Conversations } from './conversation.js';
import { type ConversationDeps, LiveConversation } from './live-conversation.js';

/** The conversations of all sessions of this node. */
export class LiveConversations implements Conversations, AsyncDisposable {
  private readonly conversations = new Map<string, LiveConversation>();

  constructor(private readonly depsOf: (session: SessionRecord) => ConversationDeps) {}

  of(session: SessionRecord): LiveConversation {
    const key = keyOf(session);
    const found = this.conversations.get(key);
    if (found) return found;
    const conversation = new LiveConversation(session, this.depsOf(session));
    this.conversations.set(key, conversation);
    return conversation;
  }

  /** Reports running sessions as idle after a start of the agent. */
  reportIdle(sessions: readonly SessionRecord[]): void {
    for (const session of sessions)
      if (session.status === 'running' && session.projectId !== null) this.of(session).hostStatus('idle');
  }

  /** The activity to send with the next messages of this chat. */
  takePiggyback(workspaceId: string, chatSessionId: string): PiggybackedActivity {
    for (const conversation of this.conversations.values())
      if (conversation.isOfChat(workspaceId, chatSessionId)) return conversation.takePiggyback();
    return noPiggyback;
  }

  forget(session: SessionKey): void {
    const key = keyOf(session);
    const conversation = this.conversations.get(key);
    this.conversations.delete(key);
    void conversation?.[Symbol.asyncDispose]();
  }

  /** Ends all conversations. */
  async [Symbol.asyncDispose](): Promise<void> {
    const conversations = [...this.conversations.values()];
    this.conversations.clear();
    await Promise.all(conversations.map((conversation) => conversation[Symbol.asyncDispose]()));
  }
}

function keyOf({ workspaceId, sessionId }: SessionKey): string {
  return `${workspaceId} ${sessionId}`;
}
