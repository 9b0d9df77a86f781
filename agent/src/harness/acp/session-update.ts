import type { SessionNotification } from '@agentclientprotocol/sdk';
import * as z from 'zod/mini';

const Content = z.looseObject({ type: z.string() });
const ToolCall = z.looseObject({ toolCallId: z.string() });
const Update = z.looseObject({ sessionUpdate: z.string() });

/** What is relied on in the kinds that are looked into; others pass as they are. */
const shapes: Readonly<Record<string, z.ZodMiniType>> = {
  user_message_chunk: z.looseObject({ content: Content }),
  agent_message_chunk: z.looseObject({ content: Content }),
  agent_thought_chunk: z.looseObject({ content: Content }),
  tool_call: ToolCall,
  tool_call_update: ToolCall,
  plan: z.looseObject({ entries: z.array(z.looseObject({ content: z.string() })) }),
};
const Notification = z.looseObject({ sessionId: z.string(), update: Update });

/** Parts of a conversation, as opposed to news about modes, commands and the like. */
const conversational = new Set(Object.keys(shapes));

/**
 * Checks as much as anyone relies on, and passes the parameters on as they are, of whatever kind. Null when they are no
 * update.
 */
export function readUpdate(params: unknown): SessionNotification | null {
  if (isPieceOfText(params)) return params;
  const parsed = Notification.safeParse(params);
  if (!parsed.success) return null;
  const { update } = parsed.data;
  if (shapes[update.sessionUpdate]?.safeParse(update).success === false) return null;
  // Its shape has just been checked as far as anyone looks.
  return params as SessionNotification;
}

/** Nearly all that ever comes, looked at by hand: a schema would copy each of thousands a second. */
function isPieceOfText(params: unknown): params is SessionNotification {
  // Any other value under these names fails the comparisons.
  const { sessionId, update } = (params ?? {}) as { readonly sessionId?: unknown; readonly update?: Piece };
  if (typeof sessionId !== 'string') return false;
  if (update?.sessionUpdate !== 'agent_message_chunk' && update?.sessionUpdate !== 'agent_thought_chunk')
    return false;
  return update.content?.type === 'text' && typeof update.content.text === 'string';
}

interface Piece {
  readonly sessionUpdate?: unknown;
  readonly content?: { readonly type?: unknown; readonly text?: unknown };
}

export function isConversation({ update }: SessionNotification): boolean {
  return conversational.has(update.sessionUpdate);
}
