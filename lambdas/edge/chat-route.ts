import * as z from 'zod/mini';
import { Chat, chatKey } from '../domain/chats/chat.js';
import { ChatNotFound } from '../domain/chats/errors.js';
import { readEnv } from '../shared/env.js';
import type { ByCapability } from './capability-route.js';
import type { Contract } from './contract.js';
import { ownRow } from './own-row.js';
import { pathId } from './path-id.js';
import { requireMember } from './require-member.js';
import { type Handle, type HttpHandler, type ReplyOf, route } from './route.js';

export type ByChat = ByCapability & { readonly chat: Chat };

/** A route about the chat `{sessionId}` of `{projectId}`, for members with the row's capability. One table call. */
export function chatRoute<C extends Contract, const Out extends ReplyOf<C>>(
  contract: C,
  handle: Handle<C, ByChat, Out>,
): HttpHandler {
  const { method, auth } = ownRow('capability');
  const { PUBLIC_URL: publicUrl } = readEnv({ PUBLIC_URL: z.url() });
  const { capability } = auth;
  return route(
    contract,
    async (event, call) => {
      const also = chatKey(pathId(event, 'sessionId'));
      const { found, ...member } = await requireMember(event, call, { method, capability, publicUrl, also });
      // A chat of another project is none of this one's.
      if (found?.projectId !== member.project.projectId) throw new ChatNotFound();
      return { ...member, chat: Chat.parse(found) };
    },
    handle,
  );
}
