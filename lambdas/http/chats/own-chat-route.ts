import { NotSessionCreator } from '../../domain/prompts/errors.js';
import { type ByChat, chatRoute } from '../../edge/chat-route.js';
import type { Contract } from '../../edge/contract.js';
import type { Handle, HttpHandler, ReplyOf } from '../../edge/route.js';

/** A route about a chat for the one person who began it. One table call. */
export function ownChatRoute<C extends Contract, const Out extends ReplyOf<C>>(
  contract: C,
  handle: Handle<C, ByChat, Out>,
): HttpHandler {
  return chatRoute<C, Out>(contract, (call) => {
    if (call.chat.userId !== call.user.userId) throw new NotSessionCreator();
    return handle(call);
  });
}
