import * as z from 'zod/mini';
import { agentActivities } from './agent-callbacks.js';
import { BootLogEntry } from './callbacks.js';
import { ChatMessage } from './chat-messages.js';
import { Ulid } from './ids.js';

/**
 * Frames of the live socket: what changed in the records a client has subscribed to. Each is a
 * hint; the record is what the API answers. `project:<id>` and `chat:<id>` are for members of the
 * project, `workspace:<id>` for its owner, `user:<id>` for that person.
 */
const LiveTopic = z.string().check(z.regex(/^(?:workspace|project|chat|user):[0-9A-HJKMNP-TV-Z]{26}$/));

/** What marks a chat: a question of a tool, or an interaction. */
export const attentionSources = ['human_input', 'acp_interaction'] as const;

/** What waits for a person. */
export const inboxKinds = [
  ...(['interaction', 'question', 'message', 'sleep', 'task', 'eviction', 'ownership'] as const),
] as const;

/** More are not counted. */
export const maxInboxCount = 100;

/** An item of an inbox: what waits, and where, without the content. */
export const InboxEntry = z.object({
  id: z.string(),
  kind: z.enum(inboxKinds),
  /** Of a request its kind, of a question its category, otherwise what happened. */
  reason: z.string(),
  title: z.nullable(z.string()),
  projectId: Ulid,
  sessionId: z.nullable(Ulid),
  taskId: z.nullable(Ulid),
  workspaceId: z.nullable(Ulid),
  interactionId: z.nullable(z.string()),
  /** Of the message in its session. */
  sequence: z.nullable(z.int()),
  /** A path of the console. */
  link: z.string(),
  createdAt: z.iso.datetime(),
});
export type InboxEntry = z.infer<typeof InboxEntry>;

/** `requestId` comes back in the answer, so a client can match them. */
const requestId = z.optional(z.string().check(z.maxLength(64)));
export const LiveClientMessage = z.discriminatedUnion('action', [
  z.object({ action: z.literal('subscribe'), topic: LiveTopic, requestId }),
  z.object({ action: z.literal('unsubscribe'), topic: LiveTopic, requestId }),
  z.object({ action: z.literal('ping'), requestId }),
]);
export type LiveClientMessage = z.infer<typeof LiveClientMessage>;

/**
 * A message as the API answers it, where it fits into the frame. What is too long for that, or came
 * with too much else at once, has neither content nor toolMetadata: `GET …/messages?after=<its
 * sequence less 1>` answers it.
 */
export const LiveMessage = z.extend(ChatMessage, { content: z.nullable(z.string()) });
export type LiveMessage = z.infer<typeof LiveMessage>;

/** How a chat session stands. */
const session = {
  topic: LiveTopic,
  version: z.int(),
  data: z.object({
    sessionId: Ulid,
    topic: z.nullable(z.string()),
    status: z.string(),
    workspaceId: z.nullable(Ulid),
    agentSessionId: z.nullable(z.string()),
    /**
     * Of the newest message: ask for those after the last that you have, if they do not come by
     * themselves.
     */
    lastSequence: z.int(),
    messageCount: z.int(),
    queuedPrompts: z.int(),
  }),
};

export const LiveEvent = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('workspace.status'),
    topic: LiveTopic,
    /** Grows with every change; a client drops what is older than what it has. */
    version: z.int(),
    data: z.object({
      workspaceId: Ulid,
      status: z.string(),
      errorMessage: z.nullable(z.string()),
      /** Only while it is captured, or its node stops it. */
      sleepPhase: z.optional(z.enum(['capturing', 'stopping'])),
      /** Only while it waits for a slot. */
      admissionReason: z.optional(z.string()),
      admissionQueuePosition: z.optional(z.int()),
    }),
  }),
  /** Its node captured and stopped it. `workspace.status` follows its further life. */
  z.object({
    type: z.literal('workspace.evicted'),
    topic: LiveTopic,
    version: z.int(),
    data: z.object({ workspaceId: Ulid, reason: z.string(), text: z.string(), at: z.iso.datetime() }),
  }),
  z.object({
    type: z.literal('workspace.boot_log'),
    topic: LiveTopic,
    data: z.object({ workspaceId: Ulid, entryId: Ulid, generation: z.int(), entry: BootLogEntry }),
  }),
  /** A phase of a wake begins, or the wake fails. On the workspace's topic. */
  z.object({
    type: z.literal('session.wake_progress'),
    topic: LiveTopic,
    /** Of the workspace. */
    version: z.int(),
    data: z.object({
      workspaceId: Ulid,
      phase: z.enum(['placing', 'restoring', 'failed']),
      attempt: z.int(),
      at: z.iso.datetime(),
      /** Only of a failure. */
      reason: z.optional(z.string()),
    }),
  }),
  /** On the chat's topic and on its project's. */
  z.object({ type: z.literal('session.created'), ...session }),
  z.object({ type: z.literal('session.updated'), ...session }),
  z.object({ type: z.literal('session.stopped'), ...session }),
  z.object({ type: z.literal('session.failed'), ...session }),
  z.object({ type: z.literal('session.sleeping'), ...session }),
  z.object({ type: z.literal('session.woke'), ...session }),
  /** It slept for seven days, and ends with its workspace. */
  z.object({ type: z.literal('session.archived'), ...session }),
  /** On the chat's topic; each message is sent alone or with its neighbours, in their order. */
  z.object({
    type: z.literal('message.new'),
    topic: LiveTopic,
    data: z.object({ sessionId: Ulid, message: LiveMessage }),
  }),
  z.object({
    type: z.literal('messages.batch'),
    topic: LiveTopic,
    data: z.object({ sessionId: Ulid, messages: z.array(LiveMessage) }),
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
  /** The delivery of a message to the agent; the message shows its beginning. */
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
  /**
   * The agent waits for a person, whom the message asks. On the chat's topic and on its project's,
   * as its end.
   */
  z.object({
    type: z.literal('attention.created'),
    topic: LiveTopic,
    /** Of the chat. */
    version: z.int(),
    data: z.object({
      sessionId: Ulid,
      /** Of a question of `request_human_input`: the message that asks it. */
      messageId: z.optional(z.string()),
      category: z.optional(z.string()),
      markerId: z.string(),
      source: z.enum(attentionSources),
    }),
  }),
  z.object({
    type: z.literal('attention.resolved'),
    topic: LiveTopic,
    /** Of the chat. */
    version: z.int(),
    data: z.object({
      sessionId: Ulid,
      messageId: z.optional(z.string()),
      markerId: z.string(),
      source: z.enum(attentionSources),
    }),
  }),
  /** On the chat's topic: a request of the agent to a person, without its content. */
  z.object({
    type: z.literal('interaction.updated'),
    topic: LiveTopic,
    /** Of the interaction. */
    version: z.int(),
    data: z.object({
      sessionId: Ulid,
      interactionId: z.string(),
      kind: z.string(),
      state: z.string(),
    }),
  }),
  z.object({
    type: z.literal('task.updated'),
    topic: LiveTopic,
    version: z.int(),
    data: z.object({ taskId: Ulid, status: z.string(), executionStep: z.nullable(z.string()) }),
  }),
  /** On the person's topic. `count` is the number of all items, up to 100. */
  z.object({
    type: z.literal('inbox.added'),
    topic: LiveTopic,
    data: z.object({ item: InboxEntry, count: z.int() }),
  }),
  z.object({
    type: z.literal('inbox.resolved'),
    topic: LiveTopic,
    data: z.object({ itemId: z.string(), kind: z.enum(inboxKinds), count: z.int() }),
  }),
]);
export type LiveEvent = z.infer<typeof LiveEvent>;

const ServerMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('subscribed'), topic: LiveTopic, requestId }),
  z.object({ type: z.literal('unsubscribed'), topic: LiveTopic, requestId }),
  z.object({ type: z.literal('pong'), requestId }),
  z.object({ type: z.literal('error'), error: z.string(), message: z.string(), requestId }),
  LiveEvent,
]);
/** A frame with one message, or with several events that came together. */
export const LiveServerFrame = z.discriminatedUnion('type', [
  ServerMessage,
  z.object({ type: z.literal('events'), events: z.array(LiveEvent) }),
]);
export type LiveServerFrame = z.infer<typeof LiveServerFrame>;
export type LiveServerMessage = z.infer<typeof ServerMessage>;

/** The contents of a frame, in their order. */
export const unpackFrame = (frame: LiveServerFrame): readonly LiveServerMessage[] =>
  frame.type === 'events' ? frame.events : [frame];
