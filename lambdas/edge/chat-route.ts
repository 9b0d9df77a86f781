import { Chat, chatKey } from '../domain/chats/chat.js';
import { ChatNotFound } from '../domain/chats/errors.js';
import type { ByCapability } from './capability-route.js';
import type { Contract } from './contract.js';
import { memberGate } from './member-gate.js';
import { pathId } from './path-id.js';
import { type Handle, type HttpHandler, type ReplyOf, route } from './route.js';

export type ByChat = ByCapability & { readonly chat: Chat };

/** A route about the chat `{sessionId}` of `{projectId}`, for members with the row's capability. One table call. */
export function chatRoute<C extends Contract, const Out extends ReplyOf<C>>(
  contract: C,
  handle: Handle<C, ByChat, Out>,
): HttpHandler {
  const gate = memberGate();
  return route(
    contract,
    async (event, call) => {
      const key = chatKey(pathId(event, 'sessionId'));
      const member = await gate(event, call, [key]);
      const found = member.find(key);
      // A chat of another project is none of this one's.
      if (found?.projectId !== member.project.projectId) throw new ChatNotFound();
      return { ...member, chat: Chat.parse(found) };
    },
    handle,
  );
}
