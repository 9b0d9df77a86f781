import * as z from 'zod/mini';
import { BootLogEntry } from './callbacks.js';
import { Ulid } from './ids.js';

/** Messages of the live socket: what changed in the records a client has subscribed to. */
export const LiveTopic = z.string().check(z.regex(/^workspace:[0-9A-HJKMNP-TV-Z]{26}$/));
export type LiveTopic = z.infer<typeof LiveTopic>;

/** `requestId` comes back in the answer, so a client can match them. */
const requestId = z.optional(z.string().check(z.maxLength(64)));
export const LiveClientMessage = z.discriminatedUnion('action', [
  z.object({ action: z.literal('subscribe'), topic: LiveTopic, requestId }),
  z.object({ action: z.literal('unsubscribe'), topic: LiveTopic, requestId }),
  z.object({ action: z.literal('ping'), requestId }),
]);
export type LiveClientMessage = z.infer<typeof LiveClientMessage>;

export const LiveServerMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('subscribed'), topic: LiveTopic, requestId }),
  z.object({ type: z.literal('unsubscribed'), topic: LiveTopic, requestId }),
  z.object({ type: z.literal('pong'), requestId }),
  z.object({ type: z.literal('error'), error: z.string(), message: z.string(), requestId }),
  z.object({
    type: z.literal('workspace.status'),
    topic: LiveTopic,
    /** Grows with every change; a client drops what is older than what it has. */
    version: z.int(),
    data: z.object({ workspaceId: Ulid, status: z.string(), errorMessage: z.nullable(z.string()) }),
  }),
  z.object({
    type: z.literal('workspace.boot_log'),
    topic: LiveTopic,
    data: z.object({ workspaceId: Ulid, entryId: Ulid, generation: z.int(), entry: BootLogEntry }),
  }),
]);
export type LiveServerMessage = z.infer<typeof LiveServerMessage>;
