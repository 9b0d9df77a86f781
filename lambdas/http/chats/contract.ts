import * as z from 'zod/mini';
import { CallerId } from '../../../protocol/agent-sessions.js';
import { ChatMessage, messageRoles } from '../../../protocol/chat-messages.js';
import { Ulid } from '../../../protocol/ids.js';
import { Attention } from '../../domain/chats/attention.js';
import { chatStatuses } from '../../domain/chats/chat.js';
import { Topic } from '../../domain/chats/topic.js';
import {
  deliveryReasons,
  deliveryStates,
  maxPromptCharacters,
  messageClasses,
} from '../../domain/prompts/prompt.js';
import { contract } from '../../edge/contract.js';
import { nextCursor, pageQuery } from '../../edge/contract-parts.js';
import { TaskSummary } from '../tasks/task-view.js';

const project = z.object({ projectId: Ulid });
const session = z.object({ projectId: Ulid, sessionId: Ulid });

const Session = z.object({
  id: Ulid,
  projectId: Ulid,
  topic: z.nullable(z.string()),
  status: z.enum(chatStatuses),
  workspaceId: z.nullable(Ulid),
  agentSessionId: z.nullable(z.string()),
  /** Null before its agent has told anything. */
  agentType: z.nullable(z.string()),
  taskId: z.nullable(Ulid),
  createdByUserId: Ulid,
  messageCount: z.int(),
  /** Messages to the agent that wait. */
  queuedPrompts: z.int(),
  /** Of the newest message; ask for messages after the last that you have. */
  lastSequence: z.int(),
  /** Grows with every change. */
  version: z.int(),
  isIdle: z.boolean(),
  isTerminated: z.boolean(),
  /** What the agent needs a person for; their next message answers it. */
  attention: z.nullable(Attention),
  lastMessageAt: z.nullable(z.iso.datetime()),
  startedAt: z.iso.datetime(),
  endedAt: z.nullable(z.iso.datetime()),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});

const SessionDetail = z.extend(Session, {
  /** Null where it was begun without one, or the task was deleted. */
  task: z.nullable(
    z.pick(TaskSummary, {
      ...{ id: true, status: true, executionStep: true, errorMessage: true, taskMode: true },
      ...{ agentProfileHint: true, outputBranch: true, outputPrUrl: true, outputSummary: true },
      finalizedAt: true,
    }),
  ),
});

const State = z.object({
  /** `stopped` once the session has ended; null before the agent has told anything. */
  activity: z.nullable(z.enum(['prompting', 'idle', 'recovering', 'error', 'stopped'])),
  activityAt: z.nullable(z.iso.datetime()),
  promptStartedAt: z.nullable(z.int()),
  agentType: z.nullable(z.string()),
  restartCount: z.int(),
  statusError: z.nullable(z.string()),
});

const Delivery = z.object({
  id: Ulid,
  messageId: z.string(),
  /** Of the message that shows it. */
  sequence: z.int(),
  messageClass: z.enum(messageClasses),
  state: z.enum(deliveryStates),
  /** Why it waits, has failed or is ambiguous. */
  reason: z.nullable(z.enum(deliveryReasons)),
  attempts: z.int(),
  nextAttemptAt: z.nullable(z.iso.datetime()),
  deliveredAt: z.nullable(z.iso.datetime()),
  /** Its reader has to say that it was read, as agents do of each other's messages; else it is delivered again. */
  ackRequired: z.boolean(),
  ackedAt: z.nullable(z.iso.datetime()),
  redeliveries: z.int(),
  expiresAt: z.iso.datetime(),
  createdAt: z.iso.datetime(),
});

const sequence = z.pipe(z.string().check(z.regex(/^\d{1,12}$/, 'A number from 0')), z.transform(Number));
const rolesQuery = z.pipe(
  z.pipe(
    z.string(),
    z.transform((text) => text.split(',')),
  ),
  z.array(z.enum(messageRoles)).check(z.minLength(1), z.maxLength(messageRoles.length)),
);
const yesNo = z._default(z.enum(['true', 'false']), 'false');

export const list = contract({
  summary: 'Chat sessions of a project, newest first',
  description:
    'With `status` or `scope` a page may hold fewer than `limit`, or none, and still have a next one.',
  params: project,
  query: z.strictObject({
    ...pageQuery,
    status: z.optional(z.enum(chatStatuses)),
    /** `my`: only those that you began. */
    scope: z.optional(z.enum(['my'])),
  }),
  responses: { 200: z.object({ sessions: z.array(Session), nextCursor }) },
});

export const create = contract({
  summary: 'Begin a chat session',
  description: 'With a workspace of yours in this project, its agents tell their conversation here.',
  params: project,
  body: z.strictObject({
    workspaceId: z.optional(Ulid),
    topic: z.optional(Topic),
  }),
  responses: { 201: Session },
  errors: ['NOT_FOUND', 'CONFLICT'],
});

export const get = contract({
  summary: 'A chat session with its newest messages and its task',
  params: session,
  query: z.strictObject({ limit: pageQuery.limit }),
  responses: {
    200: z.object({
      session: SessionDetail,
      messages: z.array(ChatMessage),
      hasMore: z.boolean(),
      state: State,
    }),
  },
});

export const messages = contract({
  summary: 'Messages of a chat session, a page at a time',
  description:
    'By their place in the session: `after` and `before` are sequences, both left out. `compact=true` joins neighbouring pieces of an agent to one message; `roles` is a list with commas. A page of long messages holds fewer than `limit`, one with `roles` perhaps none, and still has a next one.',
  params: session,
  query: z.strictObject({
    ...pageQuery,
    after: z.optional(sequence),
    before: z.optional(sequence),
    roles: z.optional(rolesQuery),
    order: z._default(z.enum(['asc', 'desc']), 'asc'),
    compact: yesNo,
  }),
  responses: { 200: z.object({ messages: z.array(ChatMessage), nextCursor }) },
});

export const toolContent = contract({
  summary: 'What a tool said, for the message at this place',
  description:
    'All of it: what is longer than a message (`contentBytes` is not null) is redirected to a file of text, whose address opens it for a minute.',
  params: z.extend(session, { sequence }),
  responses: { 200: z.object({ content: z.unknown() }), 302: null },
  errors: ['NOT_FOUND'],
});

export const state = contract({
  summary: 'What the agent of a chat session does',
  params: session,
  responses: {
    200: z.object({
      state: State,
      agentSessionId: z.nullable(z.string()),
      agentType: z.nullable(z.string()),
    }),
  },
});

export const prompt = contract({
  summary: 'Send a message to the agent of a chat session',
  description:
    'Accept a message and deliver it once; its `delivery` in the messages gives the result. The message waits for the end of the running turn; `messageClass` `interrupt` cancels that turn first. A repeat with the same `messageId` or `Idempotency-Key` header returns the same message, and 409 with other content. Only the person who created the session can send one. The right is checked again at delivery.',
  params: session,
  headers: { 'Idempotency-Key': 'Of your own making; a repeat with it sends nothing twice' },
  example: { content: 'Please add a test for it' },
  body: z.strictObject({
    content: z.string().check(z.maxLength(maxPromptCharacters), z.regex(/\S/, 'Say something')),
    messageId: z.optional(CallerId),
    messageClass: z._default(z.enum(['deliver', 'interrupt']), 'deliver'),
  }),
  responses: {
    202: z.object({
      accepted: z.literal(true),
      status: z.literal('queued'),
      deliveryId: Ulid,
      messageId: z.string(),
    }),
  },
  errors: [
    'DELIVERY_CONFLICT',
    'NOT_SESSION_CREATOR',
    'PROMPT_QUEUE_FULL',
    'SESSION_ENDED',
    'SESSION_SHUTTING_DOWN',
    'SESSION_HAS_NO_AGENT',
    'SESSION_MESSAGE_LIMIT_EXCEEDED',
    'SERVICE_UNAVAILABLE',
  ],
});

export const deliveries = contract({
  summary: 'What was sent to the agent of a chat session and how it fared, newest first',
  params: session,
  query: z.strictObject(pageQuery),
  responses: { 200: z.object({ deliveries: z.array(Delivery), nextCursor }) },
});

export const cancel = contract({
  summary: 'Cancel what the agent of a chat session works on',
  description:
    'Messages that wait in the queue stay there. Only the person who created the session can cancel its turn.',
  params: session,
  responses: { 200: z.object({ status: z.enum(['cancelled', 'idle']), message: z.string() }) },
  errors: ['NOT_SESSION_CREATOR', 'SERVICE_UNAVAILABLE'],
});

export const stop = contract({
  summary: 'End a chat session and its agent',
  description:
    'Stop the session permanently. Its messages stay readable, and queued messages fail. The workspace of a task is deleted with its session (`workspaceDeleted`); a workspace that you created yourself stays. A repeat returns the same result. Only the person who created the session can stop it.',
  params: session,
  responses: { 200: z.object({ status: z.literal('stopped'), workspaceDeleted: z.boolean() }) },
  errors: ['NOT_SESSION_CREATOR', 'CONFLICT', 'SERVICE_UNAVAILABLE'],
});
