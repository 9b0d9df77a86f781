import * as z from 'zod/mini';
import { agentActivities, runtimeWorkStates } from '../../../protocol/agent-callbacks.js';
import { agentTypes } from '../../../protocol/agent-sessions.js';
import { Ulid } from '../../../protocol/ids.js';
import { attentionSources } from '../../../protocol/live.js';
import { MissingPart } from '../../../protocol/snapshots.js';
import { EndedBecause } from '../endings/ended-because.js';
import { orNull, withoutNulls } from '../records/changes.js';

export const chatStatuses = ['active', 'sleeping', 'stopped', 'error'] as const;

/** What ended the agent of a chat with its workspace. */
export const chatEndReasons = [
  'workspace_stopped',
  'workspace_deleted',
  'workspace_restarted',
  'workspace_failed',
  /** It slept for seven days. */
  'workspace_archived',
] as const;
export type ChatEndReason = (typeof chatEndReasons)[number];

export const maxMessagesPerChat = 100_000;

/** The activity of the agent, from the last report of its node. */
export const ChatActivity = z.object({
  activity: z.enum(agentActivities),
  activityAt: z.iso.datetime(),
  /** Epoch milliseconds; the same value from the acceptance of a prompt to the end of its turn. */
  promptStartedAt: orNull(z.int()),
  agentType: orNull(z.enum(agentTypes)),
  restartCount: z.int(),
  statusError: orNull(z.string()),
  /** When the agent began this activity; absent in rows from before it was stored. */
  since: z.optional(z.iso.datetime()),
  /** Work outside of turns, while it is not inactive. */
  work: z.optional(
    z.object({
      state: z.enum(runtimeWorkStates),
      count: orNull(z.int()),
      source: orNull(z.string()),
      progressAt: z.iso.datetime(),
    }),
  ),
});
export type ChatActivity = z.infer<typeof ChatActivity>;

/** A question of an agent to a person. The person's next message in the chat answers it. */
export const Attention = z.object({
  /** The message that asks the question. */
  messageId: z.string(),
  category: z.enum(['decision', 'clarification', 'approval', 'error_help']),
  context: z.string(),
  options: z.array(z.string()),
  requestedAt: z.iso.datetime(),
});
export type Attention = z.infer<typeof Attention>;

/** What the last wake restored. */
export const ChatRestore = z.object({
  status: z.enum(['restored', 'degraded']),
  message: orNull(z.string()),
  /** The first parts of the snapshot that were not restored. */
  missing: z.array(MissingPart),
  at: z.iso.datetime(),
});
export type ChatRestore = z.infer<typeof ChatRestore>;

/** The title of a chat in lists. */
export const Topic = z
  .string()
  .check(
    z.trim(),
    z.minLength(1),
    z.maxLength(200),
    z.regex(/^[^\p{Cc}]*$/u, 'Must be one line without control characters'),
  );

export const Chat = z.object({
  chatId: Ulid,
  projectId: Ulid,
  /** The creator, the only person who may prompt, cancel and stop. */
  userId: Ulid,
  topic: orNull(z.string()),
  status: z.enum(chatStatuses),
  workspaceId: orNull(Ulid),
  agentSessionId: orNull(z.string()),
  taskId: orNull(Ulid),
  messageCount: z.int(),
  /** The size of the message contents that are stored in S3. */
  contentBytes: z._default(z.int(), 0),
  /** The sequence number of the newest message. */
  lastSequence: z.int(),
  /**
   * All messages of the node's stream up to this sequence are stored: a repeat is recognised by it.
   */
  cursor: orNull(
    z.object({
      workspaceId: Ulid,
      generation: z.int(),
      streamId: z.optional(z.string()),
      sequence: z.int(),
    }),
  ),
  activity: orNull(ChatActivity),
  /** The open question to a person. */
  attention: z.optional(Attention),
  /** Requests of the agent that wait for an answer of the creator, by id. */
  openInteractions: z.optional(z.set(z.string())),
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
  /** Why the chat ended with its workspace. Absent when a person or its task ended it. */
  endReason: z.optional(z.enum(chatEndReasons)),
  /** Why its agent does not run, in words; absent while it does. */
  endedBecause: z.optional(EndedBecause),
  /** While it sleeps: when it ends with its workspace, unless a message wakes it. */
  snapshotExpiresAt: z.optional(z.iso.datetime()),
  restore: z.optional(ChatRestore),
  /** Grows with every change that clients see. */
  version: z.int(),
  lastMessageAt: orNull(z.iso.datetime()),
  endedAt: orNull(z.iso.datetime()),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type Chat = z.infer<typeof Chat>;

export const AttentionMarker = z.object({
  /** The message that asks the question, or the interaction. */
  markerId: z.string(),
  kind: z.literal('needs_input'),
  source: z.enum(attentionSources),
});
export type AttentionMarker = z.infer<typeof AttentionMarker>;

/** All that waits for the creator of a chat: the open question, and interactions. */
export const attentionMarkers = ({
  attention,
  openInteractions = new Set(),
}: Pick<Chat, 'attention' | 'openInteractions'>): readonly AttentionMarker[] => [
  ...(attention
    ? [{ markerId: attention.messageId, kind: 'needs_input', source: 'human_input' } as const]
    : []),
  ...[...openInteractions].map(
    (markerId) => ({ markerId, kind: 'needs_input', source: 'acp_interaction' }) as const,
  ),
];

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
    cursor: null,
    activity: null,
    queuedPrompts: 0,
    version: 1,
    lastMessageAt: null,
    endedAt: null,
    createdAt: at,
    updatedAt: at,
  };
}
