import * as z from 'zod/mini';
import { agentActivities } from '../../../protocol/agent-callbacks.js';
import { agentTypes } from '../../../protocol/agent-sessions.js';
import { Ulid } from '../../../protocol/ids.js';
import { orNull, withoutNulls } from '../records/changes.js';
import { Attention } from './attention.js';

export const chatStatuses = ['active', 'sleeping', 'stopped', 'error'] as const;

/** The most messages that one chat may hold. */
export const maxMessagesPerChat = 100_000;

/** What the agent of a chat does, as its node told last. */
export const ChatActivity = z.object({
  activity: z.enum(agentActivities),
  activityAt: z.iso.datetime(),
  /** Epoch milliseconds; one value from the acceptance of a prompt to its end. */
  promptStartedAt: orNull(z.int()),
  agentType: orNull(z.enum(agentTypes)),
  restartCount: z.int(),
  statusError: orNull(z.string()),
});
export type ChatActivity = z.infer<typeof ChatActivity>;

export const Chat = z.object({
  chatId: Ulid,
  projectId: Ulid,
  /** Who began it, and who alone may prompt, cancel and stop. */
  userId: Ulid,
  topic: orNull(z.string()),
  status: z.enum(chatStatuses),
  workspaceId: orNull(Ulid),
  agentSessionId: orNull(z.string()),
  taskId: orNull(Ulid),
  messageCount: z.int(),
  /** Of what its messages are too long for. */
  contentBytes: z._default(z.int(), 0),
  /** Of the newest message; the next one gets the next number. */
  lastSequence: z.int(),
  /**
   * How far this chat has heard its node: everything of that counting up to this number is stored, so that a repeat is
   * known without a look at the messages.
   */
  heard: orNull(
    z.object({
      workspaceId: Ulid,
      generation: z.int(),
      streamId: z.optional(z.string()),
      sequence: z.int(),
    }),
  ),
  activity: orNull(ChatActivity),
  /** The agent waits for a person. */
  attention: z.optional(Attention),
  /** Waiting prompts, the unqueued one included. */
  queuedPrompts: z._default(z.int(), 0),
  /** The prompt that starts the agent, while it waits. Later prompts wait for it. */
  startDeliveryId: z.optional(Ulid),
  /** A prompt has started the agent; later prompts are sent to it as they are. */
  isStarted: z.optional(z.boolean()),
  /** Queue order and id of the waiting prompt that is not in the queue. */
  unqueued: z.optional(z.string()),
  /** The queued prompt that is being delivered. A chat delivers one prompt at a time. */
  deliveringId: z.optional(Ulid),
  /** The prompt that the node took last, until the node confirms that the agent received it. */
  unconfirmedId: z.optional(Ulid),
  /** The restart count of the agent at that time. */
  unconfirmedRestarts: z.optional(z.int()),
  /** The time by which the node is asked about it. */
  confirmAt: z.optional(z.iso.datetime()),
  /** The session ends with this prompt; no other is accepted. */
  shutdownId: z.optional(Ulid),
  /** Prompts of this task with a lower sequence are superseded. */
  replan: z.optional(z.object({ sourceTaskId: Ulid, sequence: z.int() })),
  /** Grows with every change that clients see. */
  version: z.int(),
  lastMessageAt: orNull(z.iso.datetime()),
  endedAt: orNull(z.iso.datetime()),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type Chat = z.infer<typeof Chat>;

export const chatKey = (chatId: string) => ({ pk: `CHAT#${chatId}`, sk: 'CHAT' });

export const chatsOfProject = (projectId: string): string => `PROJECT#${projectId}#CHATS`;

export const chatItem = (chat: Chat) => ({
  ...chatKey(chat.chatId),
  entity: 'chat',
  schemaVersion: 1,
  ownerPk: chatsOfProject(chat.projectId),
  ownerSk: chat.chatId,
  ...withoutNulls(chat),
});

export function newChat(
  asked: Pick<Chat, 'chatId' | 'projectId' | 'userId' | 'topic' | 'workspaceId' | 'taskId'>,
  now: Date,
): Chat {
  const at = now.toISOString();
  return {
    ...asked,
    status: 'active',
    agentSessionId: null,
    messageCount: 0,
    contentBytes: 0,
    lastSequence: 0,
    heard: null,
    activity: null,
    queuedPrompts: 0,
    version: 1,
    lastMessageAt: null,
    endedAt: null,
    createdAt: at,
    updatedAt: at,
  };
}
