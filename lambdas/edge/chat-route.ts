import { Chat, chatKey } from '../domain/chats/chat.js';
import { ChatNotFound } from '../domain/chats/errors.js';
import type { ByCapability } from './capability-route.js';
import type { Contract } from './contract.js';
import { pathId } from './path-id.js';
import { type NamedRecord, recordRoute } from './record-route.js';
import type { Handle, HttpHandler, ReplyOf } from './route.js';

export type ByChat = ByCapability & { readonly chat: Chat };

const chatOfPath: NamedRecord<Pick<ByChat, 'chat'>> = {
  keys: (event) => [chatKey(pathId(event, 'sessionId'))],
  read: (found, { project }) => {
    // A chat of another project is none of this one's.
    if (found?.projectId !== project.projectId) throw new ChatNotFound();
    return { chat: Chat.parse(found) };
  },
};

/** A route about the chat `{sessionId}` of `{projectId}`, for members with the row's capability. One table call. */
export function chatRoute<C extends Contract, const Out extends ReplyOf<C>>(
  contract: C,
  handle: Handle<C, ByChat, Out>,
): HttpHandler {
  return recordRoute(contract, chatOfPath, handle);
}
