import * as z from 'zod/mini';
import { agentActivities } from './agent-callbacks.js';
import { BootLogEntry } from './callbacks.js';
import { Ulid } from './ids.js';

/**
 * Messages of the live socket: what changed in the records a client has subscribed to. Each is a hint; the record is what
 * the API answers. `project:<id>` and `chat:<id>` are for members of the project, `workspace:<id>` for its owner.
 */
export const LiveTopic = z.string().check(z.regex(/^(?:workspace|project|chat):[0-9A-HJKMNP-TV-Z]{26}$/));
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
  /** On the chat's topic and on its project's. Ask for the messages after the last that you have. */
  z.object({
    type: z.literal('chat.updated'),
    topic: LiveTopic,
    version: z.int(),
    data: z.object({
      sessionId: Ulid,
      status: z.string(),
      lastSequence: z.int(),
      messageCount: z.int(),
      queuedPrompts: z.int(),
    }),
  }),
  z.object({
    type: z.literal('session.activity'),
    topic: LiveTopic,
    /** Of the chat. */
    version: z.int(),
    data: z.object({
      sessionId: Ulid,
      activity: z.enum(agentActivities),
      promptStartedAt: z.nullable(z.int()),
      statusError: z.nullable(z.string()),
    }),
  }),
  /** How far a message to the agent has come. */
  z.object({
    type: z.literal('prompt.updated'),
    topic: LiveTopic,
    /** Of the delivery. */
    version: z.int(),
    data: z.object({
      sessionId: Ulid,
      deliveryId: Ulid,
      messageId: z.string(),
      state: z.string(),
      reason: z.nullable(z.string()),
    }),
  }),
  z.object({
    type: z.literal('task.updated'),
    topic: LiveTopic,
    version: z.int(),
    data: z.object({ taskId: Ulid, status: z.string(), executionStep: z.nullable(z.string()) }),
  }),
]);
export type LiveServerMessage = z.infer<typeof LiveServerMessage>;
