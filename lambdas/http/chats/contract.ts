import * as z from 'zod/mini';
import { CallerId } from '../../../protocol/agent-sessions.js';
import { ChatMessage, messageRoles } from '../../../protocol/chat-messages.js';
import { Ulid } from '../../../protocol/ids.js';
import { chatStatuses, Topic } from '../../domain/chats/chat.js';
import { maxPromptCharacters } from '../../domain/prompts/prompt.js';
import { contract } from '../../edge/contract.js';
import { nextCursor, pageQuery } from '../../edge/contract-parts.js';
import { creationHeader } from '../../edge/idempotency-header.js';
import { AgentState, Delivery, Session, SessionDetail } from './session-schemas.js';

const project = z.object({ projectId: Ulid });
const session = z.object({ projectId: Ulid, sessionId: Ulid });

const sequence = z.pipe(
  z.string().check(z.regex(/^\d{1,12}$/, 'Must be an integer of at least 0')),
  z.transform(Number),
);
const rolesQuery = z.pipe(
  z.pipe(
    z.string(),
    z.transform((text) => text.split(',')),
  ),
  z.array(z.enum(messageRoles)).check(z.minLength(1), z.maxLength(messageRoles.length)),
);
const yesNo = z._default(z.enum(['true', 'false']), 'false');

export const list = contract({
  summary: 'List the chat sessions of a project',
  description:
    'Return the newest sessions first. With `status` or `scope`, a page may hold fewer than `limit` sessions, or none, and still have a `nextCursor`.',
  params: project,
  query: z.strictObject({
    ...pageQuery,
    status: z.optional(z.enum(chatStatuses)),
    /** `my`: only sessions that you created. */
    scope: z.optional(z.enum(['my'])),
  }),
  responses: { 200: z.object({ sessions: z.array(Session), nextCursor }) },
});

export const create = contract({
  summary: 'Create a chat session',
  headers: creationHeader('chat session'),
  description:
    'Pass `workspaceId` to link the session to one of your workspaces in this project. The session takes no messages until an agent joins it: `POST /api/workspaces/{workspaceId}/agent-sessions` with its id as `chatSessionId`. A person has at most 300 sessions without a task that have not ended (`CHAT_LIMIT_REACHED`); one that ends without a message is deleted, at the earliest after 30 days. Each call without `Idempotency-Key` creates another session.',
  params: project,
  body: z.strictObject({
    workspaceId: z.optional(Ulid),
    topic: z.optional(Topic),
  }),
  responses: { 201: Session },
  errors: ['NOT_FOUND', 'CONFLICT', 'CHAT_LIMIT_REACHED', 'IDEMPOTENCY_KEY_REUSED'],
});

export const get = contract({
  summary: 'Get a chat session',
  description:
    'Return the session, its task, the state of its agent and its newest messages, oldest of these first. `hasMore` says that older messages exist.',
  params: session,
  query: z.strictObject({ limit: pageQuery.limit }),
  responses: {
    200: z.object({
      session: SessionDetail,
      messages: z.array(ChatMessage),
      hasMore: z.boolean(),
      state: AgentState,
    }),
  },
});

export const messages = contract({
  summary: 'List the messages of a chat session',
  description:
    'Return messages by their sequence in the session. `after` and `before` are exclusive bounds. `compact=true` joins adjacent fragments of an agent into one message. `roles` is a comma-separated list. A page of long messages may hold fewer than `limit` messages, a page with `roles` none, and still have a `nextCursor`.',
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
  summary: 'Get the tool output of a message',
  description:
    'Return the complete output of the tool in the message with this sequence. For output that is longer than a message (`contentBytes` is not null), redirect to a text file whose URL is valid for one minute.',
  params: z.extend(session, { sequence }),
  responses: { 200: z.object({ content: z.unknown() }), 302: null },
  errors: ['NOT_FOUND'],
});

export const state = contract({
  summary: 'Get the state of the agent of a chat session',
  description:
    'What the agent last reported. `promptStartedAt` does not change from the acceptance of a prompt to its end.',
  params: session,
  responses: {
    200: z.object({
      state: AgentState,
      agentSessionId: z.nullable(z.string()),
      agentType: z.nullable(z.string()),
    }),
  },
});

export const prompt = contract({
  summary: 'Send a message to the agent of a chat session',
  description:
    'Accept a message and deliver it once. `delivery` of the message shows the result. The message waits for the end of the running turn; with `messageClass` `interrupt` it cancels that turn first. A message has at most 32,768 characters; at most 1,000 messages wait in a session. A repeat with the same `messageId` or `Idempotency-Key` header returns the same message, or 409 `DELIVERY_CONFLICT` if the content differs. Only the person who created the session can send messages; this right is checked again at delivery.',
  params: session,
  headers: {
    'Idempotency-Key': 'A key of your choice. A repeat with the same key does not send the message again.',
  },
  example: { content: 'Please add a test for it' },
  body: z.strictObject({
    content: z
      .string()
      .check(
        z.maxLength(maxPromptCharacters),
        z.regex(/\S/, 'Must contain a character that is not white space'),
      ),
    messageId: z.optional(CallerId),
    messageClass: z._default(z.enum(['deliver', 'interrupt']), 'deliver'),
  }),
  responses: {
    202: z.object({
      accepted: z.literal(true),
      status: z.literal('queued'),
      deliveryId: Ulid,
      messageId: z.string(),
      /** The session sleeps, and the message wakes it. Do not send the message again. */
      wakes: z.boolean(),
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
  summary: 'List the deliveries of a chat session',
  description:
    'Return the messages that were sent to the agent with the state of their delivery, newest first.',
  params: session,
  query: z.strictObject(pageQuery),
  responses: { 200: z.object({ deliveries: z.array(Delivery), nextCursor }) },
});

export const cancel = contract({
  summary: 'Cancel the running turn of a chat session',
  description:
    'Cancel the turn that the agent works on. Waiting messages stay in the queue. Without a running turn, return `idle` and change nothing. Only the person who created the session can cancel its turn.',
  params: session,
  responses: { 200: z.object({ status: z.enum(['cancelled', 'idle']), message: z.string() }) },
  errors: ['NOT_SESSION_CREATOR', 'SERVICE_UNAVAILABLE'],
});

export const stop = contract({
  summary: 'End a chat session and its agent',
  description:
    'Stop the session permanently. Its messages stay readable, and queued messages fail. Its task ends in the same request, at every step: a conversation in progress is completed, another task is cancelled. The workspace of a task is deleted with its session (`workspaceDeleted`); a workspace that you created yourself stays. A repeat returns the same result. Only the person who created the session can stop it.',
  params: session,
  responses: { 200: z.object({ status: z.literal('stopped'), workspaceDeleted: z.boolean() }) },
  errors: ['NOT_SESSION_CREATOR', 'CONFLICT', 'SERVICE_UNAVAILABLE'],
});
