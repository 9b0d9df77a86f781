import type { ConversationMessage } from '../../protocol/agent-callbacks.js';

/** A message of an agent as a node sends it. */
export const conversationMessage = (
  sessionId: string,
  sequence: number,
  more: Partial<ConversationMessage> = {},
): ConversationMessage => ({
  messageId: `m-${sequence}`,
  sessionId,
  role: 'assistant',
  content: `piece ${sequence} `,
  timestamp: '2026-11-21T10:00:00.000Z',
  sequence,
  ...more,
});
