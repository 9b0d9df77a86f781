import * as z from 'zod/mini';
import { runtimeWorkStates } from '../../../protocol/agent-callbacks.js';
import { Ulid } from '../../../protocol/ids.js';
import {
  Attention,
  AttentionMarker,
  ChatRestore,
  chatEndReasons,
  chatStatuses,
} from '../../domain/chats/chat.js';
import { EndedBecause } from '../../domain/endings/ended-because.js';
import { deliveryReasons, deliveryStates, messageClasses } from '../../domain/prompts/prompt.js';
import { TaskSummary } from '../tasks/task-view.js';

export const Session = z.object({
  id: Ulid,
  projectId: Ulid,
  topic: z.nullable(z.string()),
  status: z.enum(chatStatuses),
  workspaceId: z.nullable(Ulid),
  agentSessionId: z.nullable(z.string()),
  /** Null before the first report of the agent. */
  agentType: z.nullable(z.string()),
  taskId: z.nullable(Ulid),
  createdByUserId: Ulid,
  messageCount: z.int(),
  /** The number of waiting messages to the agent. */
  queuedPrompts: z.int(),
  /** The sequence of the newest message. Pass your last one as `after` to read newer messages. */
  lastSequence: z.int(),
  /** Incremented by every change. */
  version: z.int(),
  isIdle: z.boolean(),
  isTerminated: z.boolean(),
  /** The open question of the agent. The creator's next message answers it. */
  attention: z.nullable(Attention),
  /** All that waits for the creator: the open question, and interactions by their id. */
  attentionMarkers: z.array(AttentionMarker),
  lastMessageAt: z.nullable(z.iso.datetime()),
  startedAt: z.iso.datetime(),
  endedAt: z.nullable(z.iso.datetime()),
  /** Set when the session ended with its workspace; null when a person or its task ended it. */
  endReason: z.nullable(z.enum(chatEndReasons)),
  /** Why its agent does not run, in words and numbers. */
  endedBecause: z.nullable(EndedBecause),
  /** What the last wake restored; null before the first. */
  restore: z.nullable(ChatRestore),
  /** While it sleeps: when it ends with its workspace, unless a message wakes it. */
  snapshotExpiresAt: z.nullable(z.iso.datetime()),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});

export const SessionDetail = z.extend(Session, {
  /** Null for a session without a task, or whose task was deleted. */
  task: z.nullable(
    z.pick(TaskSummary, {
      ...{ id: true, status: true, executionStep: true, errorMessage: true, taskMode: true },
      ...{ agentProfileHint: true, outputBranch: true, outputPrUrl: true, outputSummary: true },
      finalizedAt: true,
    }),
  ),
});

export const Delivery = z.object({
  id: Ulid,
  messageId: z.string(),
  /** The sequence of its message in the session. */
  sequence: z.int(),
  messageClass: z.enum(messageClasses),
  state: z.enum(deliveryStates),
  /** Why the message waits, failed or is ambiguous. */
  reason: z.nullable(z.enum(deliveryReasons)),
  attempts: z.int(),
  nextAttemptAt: z.nullable(z.iso.datetime()),
  deliveredAt: z.nullable(z.iso.datetime()),
  /**
   * The recipient must acknowledge the message; otherwise it is delivered again. Only messages
   * between agents.
   */
  ackRequired: z.boolean(),
  ackedAt: z.nullable(z.iso.datetime()),
  redeliveries: z.int(),
  expiresAt: z.iso.datetime(),
  createdAt: z.iso.datetime(),
});

/** The last report of the agent of a chat session. */
export const AgentState = z.object({
  /** `stopped` after the end of the session; null before the first report of the agent. */
  activity: z.nullable(z.enum(['prompting', 'idle', 'recovering', 'error', 'stopped'])),
  activityAt: z.nullable(z.iso.datetime()),
  promptStartedAt: z.nullable(z.int()),
  agentType: z.nullable(z.string()),
  restartCount: z.int(),
  statusError: z.nullable(z.string()),
  /** Work outside of turns, such as a command in the background; null without such work. */
  runtimeWork: z.nullable(
    z.object({
      state: z.enum(runtimeWorkStates),
      count: z.nullable(z.int()),
      source: z.nullable(z.string()),
      /** Its last sign of progress. */
      progressAt: z.iso.datetime(),
    }),
  ),
});
