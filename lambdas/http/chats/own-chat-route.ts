import type { Chat } from '../../domain/chats/chat.js';
import type { Action } from '../../domain/policy/actions.js';
import { type Allowed, allow } from '../../domain/policy/allow.js';
import { type ByChat, chatRoute } from '../../edge/chat-route.js';
import type { Contract } from '../../edge/contract.js';
import type { Handle, HttpHandler, ReplyOf } from '../../edge/route.js';

type OnChat = Extract<Action, `chat.${string}`>;
type AllowedChat<A extends OnChat> = Omit<ByChat, 'chat'> & { readonly chat: Allowed<A, Chat> };

/**
 * A route that does this to a chat, for the persons to whom the policy allows it. One table call.
 */
export function ownChatRoute<A extends OnChat, C extends Contract, const Out extends ReplyOf<C>>(
  action: A,
  contract: C,
  handle: Handle<C, AllowedChat<A>, Out>,
): HttpHandler {
  return chatRoute<C, Out>(contract, (call) => {
    const person = { userId: call.user.userId, member: call.member };
    return handle({ ...call, chat: allow(action, person, call.chat) });
  });
}
