import * as z from 'zod/mini';
import { Ulid } from './ids.js';

export const messageRoles = ['user', 'assistant', 'thinking', 'tool', 'plan', 'system'] as const;
export type MessageRole = (typeof messageRoles)[number];

/**
 * Of a message to the agent: how far it has come, and why no further; docs/prompts.md has the
 * reasons.
 */
export const MessageDelivery = z.object({
  deliveryId: Ulid,
  state: z.enum(['queued', 'delivered', 'failed', 'ambiguous']),
  reason: z.nullable(z.string()),
});

/** A message of a chat session as people read it, in answers and on the live socket. */
export const ChatMessage = z.object({
  id: z.string(),
  sessionId: Ulid,
  /** Its place in the session, from 1 without gaps. */
  sequence: z.int(),
  /** Of the last piece that is joined to it; its own where none is. */
  lastSequence: z.int(),
  role: z.enum(messageRoles),
  content: z.string(),
  /** Of all that it says, where `content` is only the beginning: `tool-content` answers it. */
  contentBytes: z.nullable(z.int()),
  /** Without what the tool said, which is asked for by itself. */
  toolMetadata: z.nullable(z.record(z.string(), z.unknown())),
  /** `tool-content` answers something. */
  hasToolContent: z.boolean(),
  origin: z.nullable(z.enum(['user', 'system'])),
  delivery: z.nullable(MessageDelivery),
  createdAt: z.iso.datetime(),
});
export type ChatMessage = z.infer<typeof ChatMessage>;
