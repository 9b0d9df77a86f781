import * as z from 'zod/mini';
import { CallerId, promptProtocolVersion, receiptStates } from '../../../protocol/agent-sessions.js';
import { Ulid } from '../../../protocol/ids.js';
import { messageIdKey } from '../chats/message.js';
import type { Key } from '../records/changes.js';
import { orNull, withoutNulls } from '../records/changes.js';

/** Least urgent first. */
export const messageClasses = [
  'notify',
  'deliver',
  'interrupt',
  'preempt_and_replan',
  'shutdown_with_final_prompt',
] as const;
export type MessageClass = (typeof messageClasses)[number];

export const deliveryStates = [
  'queued',
  'delivering',
  'retry_wait',
  'delivered',
  'acked',
  'failed',
  'ambiguous',
  'expired',
] as const;
export type DeliveryState = (typeof deliveryStates)[number];

const promptSources = [
  'user_followup',
  'comment_directive',
  'agent_mailbox',
  'orchestration_handoff',
  'checkpoint_continuation',
  'parent_wakeup',
  'project_event_wake',
  'eviction_recovery',
] as const;

const promptSenders = ['agent', 'orchestrator', 'system', 'human'] as const;

/** Why a delivery waits, failed or is ambiguous. docs/prompts.md explains each reason. */
export const deliveryReasons = [
  'busy',
  'not_ready',
  'agent_failed',
  'receipt_not_found',
  'target_asleep',
  'node_unreachable',
  'attempts_exhausted',
  'terminal_target',
  'dead_target',
  'workspace_stopped',
  'unsupported_capability',
  'delivery_conflict',
  'refused',
  'never_invoked',
  'lost_response',
  'runtime_changed',
  'receipt_unavailable',
  'deadline_passed',
  'not_acknowledged',
  'superseded',
  'shut_down',
  'not_allowed',
  'wake_failed',
] as const;
export type DeliveryReason = (typeof deliveryReasons)[number];
const reason = orNull(z.enum(deliveryReasons));

/** In UTF-16 code units. A prompt of this length fits a message, whatever its characters. */
export const maxPromptCharacters = 32_768;
/** The limit of waiting prompts of a chat, and of queued prompts of a project. */
export const maxQueuedPrompts = 1_000;
const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;

const time = orNull(z.iso.datetime());

/** One message to an agent, and the state of its delivery. docs/prompts.md lists the states. */
export const Prompt = z.object({
  deliveryId: Ulid,
  chatId: Ulid,
  projectId: Ulid,
  /**
   * `start` starts the agent with this prompt. Fixed at the first attempt: to the node these are
   * different requests.
   */
  kind: z.enum(['start', 'prompt']),
  sourceKind: z.enum(promptSources),
  senderType: z.enum(promptSenders),
  senderId: orNull(z.string()),
  sourceTaskId: orNull(Ulid),
  messageClass: z.enum(messageClasses),
  deliveryState: z.enum(deliveryStates),
  content: z.string(),
  metadata: orNull(z.record(z.string(), z.unknown())),
  /** The message that shows the prompt in the chat, and its place there. */
  promptMessageId: CallerId,
  sequence: z.int(),
  /**
   * It waits outside the queue: the chat refers to it in `unqueued`, and the project does not count
   * it.
   */
  isUnqueued: orNull(z.literal(true)),
  /** The recipient must acknowledge the prompt; otherwise it is delivered again. */
  ackRequired: z.boolean(),
  ackTimeoutMs: orNull(z.int()),
  /** The number of deliveries after the first. */
  redeliveries: z._default(z.int(), 0),
  deliveryAttempts: z.int(),
  attemptId: orNull(Ulid),
  attemptStartedAt: time,
  nextAttemptAt: time,
  /** The run of the node agent that the current attempt was sent to; null when nothing was sent. */
  runtimeIdentity: orNull(z.string()),
  adapterProtocolVersion: orNull(z.int()),
  receiptSupported: orNull(z.boolean()),
  receiptState: orNull(z.enum([...receiptStates, 'not_found'])),
  /** The run that the receipt names, when it is another one. */
  receiptRuntimeIdentity: orNull(z.string()),
  receiptCheckedAt: time,
  acceptedAt: time,
  deliveredAt: time,
  ackedAt: time,
  /** Why the prompt waits. */
  lastError: reason,
  /** Why the prompt failed or is ambiguous. */
  terminalReason: reason,
  /** Not `expiresAt`: that attribute makes DynamoDB delete an item. */
  deadlineAt: z.iso.datetime(),
  /** Incremented by every change; each change is conditional on the version that was read. */
  version: z.int(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type Prompt = z.infer<typeof Prompt>;

export const promptPrefix = 'PROMPT#';

export const promptKey = (chatId: string, deliveryId: string) => ({
  pk: `CHAT#${chatId}`,
  sk: `${promptPrefix}${deliveryId}`,
});

export const promptItem = (prompt: Prompt) => ({
  ...promptKey(prompt.chatId, prompt.deliveryId),
  entity: 'prompt',
  schemaVersion: 1,
  ...withoutNulls(prompt),
});

/** The prompt whose delivery id is this message id, if the id can be one. */
export const promptKeysOfMessage = (chatId: string, messageId: string): readonly Key[] =>
  Ulid.safeParse(messageId).success ? [promptKey(chatId, messageId)] : [];

/** The chat has the message when one of these items exists. */
export const keysOfMessage = (chatId: string, messageId: string): readonly Key[] => [
  messageIdKey(chatId, messageId),
  ...promptKeysOfMessage(chatId, messageId),
];

export type NewPrompt = Pick<
  Prompt,
  | 'deliveryId'
  | 'chatId'
  | 'projectId'
  | 'kind'
  | 'sourceKind'
  | 'senderType'
  | 'senderId'
  | 'messageClass'
  | 'content'
  | 'sequence'
> &
  Partial<Pick<Prompt, 'sourceTaskId' | 'metadata' | 'ackRequired' | 'ackTimeoutMs' | 'isUnqueued'>> & {
    /** An id chosen by the sender; without it the message id is the delivery id. */
    readonly promptMessageId?: string | undefined;
    /** Its recipient sleeps. */
    readonly isAsleep?: boolean;
  };

const wakeSources: readonly Prompt['sourceKind'][] = [
  'parent_wakeup',
  'project_event_wake',
  'eviction_recovery',
];

type Lifetime = Pick<NewPrompt, 'kind' | 'sourceKind' | 'isAsleep'>;

/**
 * A longer lifetime for wakes, prompts to sleeping agents, and tasks that wait for room on a node.
 */
const lifetimeMs = ({ kind, sourceKind, isAsleep }: Lifetime): number =>
  kind === 'start' || isAsleep || wakeSources.includes(sourceKind) ? dayMs : hourMs;

/** A prompt that is not delivered by its deadline expires. */
export const deadlineOf = (prompt: Lifetime, now: Date): string =>
  new Date(now.getTime() + lifetimeMs(prompt)).toISOString();

export function newPrompt({ isAsleep = false, ...request }: NewPrompt, now: Date): Prompt {
  const at = now.toISOString();
  return {
    sourceTaskId: null,
    metadata: null,
    ackRequired: false,
    ackTimeoutMs: null,
    redeliveries: 0,
    isUnqueued: null,
    ...request,
    promptMessageId: request.promptMessageId ?? request.deliveryId,
    deliveryState: 'queued',
    deliveryAttempts: 0,
    attemptId: null,
    attemptStartedAt: null,
    nextAttemptAt: null,
    runtimeIdentity: null,
    adapterProtocolVersion: promptProtocolVersion,
    receiptSupported: null,
    receiptState: null,
    receiptRuntimeIdentity: null,
    receiptCheckedAt: null,
    acceptedAt: null,
    deliveredAt: null,
    ackedAt: null,
    lastError: null,
    terminalReason: null,
    deadlineAt: deadlineOf({ ...request, isAsleep }, now),
    version: 1,
    createdAt: at,
    updatedAt: at,
  };
}
