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
  /** Prompts that are not settled. */
  queuedPrompts: z._default(z.int(), 0),
  /** The prompt that begins the agent, until it is settled; what comes after it waits. */
  startDeliveryId: z.optional(Ulid),
  /** An agent was begun with a prompt; what comes after that goes to it as it is. */
  isBegun: z.optional(z.boolean()),
  /** The prompt that found no other to wait behind, with its place in the order of the queue; until it is settled. */
  lone: z.optional(z.string()),
  /** The prompt of the queue that somebody is delivering now: one a chat, with the one that waits alone. */
  deliveringId: z.optional(Ulid),
  /** The prompt that the node took last, until it has said that the agent had it. */
  unconfirmedId: z.optional(Ulid),
  /** How often the agent had been restarted then. */
  unconfirmedRestarts: z.optional(z.int()),
  /** When the node is asked about it at the latest. */
  confirmDueAt: z.optional(z.iso.datetime()),
  /** The agent ends with this prompt; no other is taken on any more. */
  shutdownId: z.optional(Ulid),
  /** What the agent of this task has sent before that place counts no more. */
  replanned: z.optional(z.object({ sourceTaskId: Ulid, sequence: z.int() })),
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
