import type { SessionKey, SessionRecord } from '../agent-sessions/session-record.js';
import { noRide, type Ride } from '../reporting/batch-request.js';
import type { Conversations } from './conversation.js';
import { type ConversationParts, LiveConversation } from './live-conversation.js';

/** The conversations of all sessions of this node. */
export class LiveConversations implements Conversations, AsyncDisposable {
  private readonly conversations = new Map<string, LiveConversation>();

  constructor(private readonly partsOf: (session: SessionRecord) => ConversationParts) {}

  of(session: SessionRecord): LiveConversation {
    const key = keyOf(session);
    const found = this.conversations.get(key);
    if (found) return found;
    const conversation = new LiveConversation(session, this.partsOf(session));
    this.conversations.set(key, conversation);
    return conversation;
  }

  /** After a start: nothing goes on in these sessions, whatever the control plane was told last. */
  tellOfRest(sessions: readonly SessionRecord[]): void {
    for (const session of sessions)
      if (session.status === 'running' && session.projectId !== null) this.of(session).hostStatus('idle');
  }

  /** What the agent of this chat does, for messages of it that go now. */
  rideOf(workspaceId: string, chatSessionId: string): Ride {
    for (const conversation of this.conversations.values())
      if (conversation.tells(workspaceId, chatSessionId)) return conversation.ride();
    return noRide;
  }

  forget(session: SessionKey): void {
    const key = keyOf(session);
    const conversation = this.conversations.get(key);
    this.conversations.delete(key);
    void conversation?.[Symbol.asyncDispose]();
  }

  /** Writes what was heard, tells the last activity, and ends all viewers. */
  async [Symbol.asyncDispose](): Promise<void> {
    const conversations = [...this.conversations.values()];
    this.conversations.clear();
    await Promise.all(conversations.map((conversation) => conversation[Symbol.asyncDispose]()));
  }
}

function keyOf({ workspaceId, sessionId }: SessionKey): string {
  return `${workspaceId} ${sessionId}`;
}
