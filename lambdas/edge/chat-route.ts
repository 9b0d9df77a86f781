import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { Chat, chatKey } from '../domain/chats/chat.js';
import { chatNotFound } from '../domain/chats/errors.js';
import type { Key } from '../domain/records/changes.js';
import type { ByCapability } from './capability-route.js';
import { recordRoute } from './capability-route.js';
import type { Contract } from './contract.js';
import { pathId } from './parse-request.js';
import type { Handle, HttpHandler, ReplyOf } from './route.js';

export type ByChat = ByCapability & { readonly chat: Chat };

/** Records beside the chat that are read in the same table call. */
type Beside = (projectId: string, chatId: string, event: APIGatewayProxyEventV2) => readonly Key[];

/** A route of a chat of `{projectId}`, for members with the row's capability. One table call. */
export function chatRoute<C extends Contract, const Out extends ReplyOf<C>>(
  contract: C,
  handle: Handle<C, ByChat, Out>,
  beside: Beside = () => [],
): HttpHandler {
  return recordRoute(
    contract,
    {
      keys: (event) => {
        const chatId = pathId(event, 'sessionId');
        return [chatKey(chatId), ...beside(pathId(event, 'projectId'), chatId, event)];
      },
      read: (found, { project }) => {
        // A chat of another project is none of this one's.
        if (found?.projectId !== project.projectId) throw chatNotFound();
        return { chat: Chat.parse(found) };
      },
    },
    handle,
  );
}
