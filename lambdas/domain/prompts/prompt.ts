import * as z from 'zod/mini';
import { CallerId, promptProtocolVersion, receiptStates } from '../../../protocol/agent-sessions.js';
import { Ulid } from '../../../protocol/ids.js';
import { orNull, withoutNulls } from '../records/changes.js';

/** From the least urgent to the most. */
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

export const promptSources = [
  'user_followup',
  'comment_directive',
  'agent_mailbox',
  'orchestration_handoff',
  'checkpoint_continuation',
  'parent_wakeup',
  'project_event_wake',
] as const;

export const promptSenders = ['agent', 'orchestrator', 'system', 'human'] as const;

/** Why a delivery waits, or how it ended; each with a sentence in docs/prompts.md. */
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
] as const;
export type DeliveryReason = (typeof deliveryReasons)[number];
const reason = orNull(z.enum(deliveryReasons));

/** The longest prompt, in UTF-16 code units; it also fits a message in bytes, whatever it is made of. */
export const maxPromptCharacters = 32_768;
/** The most prompts that may wait in one chat. */
export const maxQueuedPrompts = 1_000;
const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;

const time = orNull(z.iso.datetime());

/** One intent to tell an agent something, and how far that has come. docs/prompts.md has its states. */
export const Prompt = z.object({
  /** What the node knows it by. */
  deliveryId: Ulid,
  chatId: Ulid,
  projectId: Ulid,
  /** `start` begins the agent with it. Never changed once it was tried: to the node these are different requests. */
  kind: z.enum(['start', 'prompt']),
  sourceKind: z.enum(promptSources),
  senderType: z.enum(promptSenders),
  senderId: orNull(z.string()),
  sourceTaskId: orNull(Ulid),
  messageClass: z.enum(messageClasses),
  deliveryState: z.enum(deliveryStates),
  content: z.string(),
  metadata: orNull(z.record(z.string(), z.unknown())),
  /** The message that shows it in the chat, and its place there. */
  promptMessageId: CallerId,
  sequence: z.int(),
  /** It waits alone: its chat names it, and neither the chat's queue nor the project's has it. */
  isLone: orNull(z.literal(true)),
  /** Its reader has to say that it was read; until then it is delivered again. */
  ackRequired: z.boolean(),
  ackTimeoutMs: orNull(z.int()),
  /** How often it was delivered again. */
  redeliveries: z._default(z.int(), 0),
  deliveryAttempts: z.int(),
  attemptId: orNull(Ulid),
  attemptStartedAt: time,
  nextAttemptAt: time,
  /** Of the agent on the node when the present attempt began; null when it was not even asked for a delivery. */
  runtimeIdentity: orNull(z.string()),
  adapterProtocolVersion: orNull(z.int()),
  receiptSupported: orNull(z.boolean()),
  receiptState: orNull(z.enum([...receiptStates, 'not_found'])),
  /** Where the receipt names another run than that. */
  receiptRuntimeIdentity: orNull(z.string()),
  receiptCheckedAt: time,
  acceptedAt: time,
  deliveredAt: time,
  ackedAt: time,
  /** Why it waits. */
  lastError: reason,
  /** Why it has failed or is ambiguous. */
  terminalReason: reason,
  /** When it is too late; `expiresAt` is the table's own word for when an item goes away. */
  deadlineAt: z.iso.datetime(),
  /** Grows with every move; each is made from the one that was read. */
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
  Partial<Pick<Prompt, 'sourceTaskId' | 'metadata' | 'ackRequired' | 'ackTimeoutMs' | 'isLone'>> & {
    /** The sender's own id; without it the message has that of the delivery. */
    readonly promptMessageId?: string | undefined;
  };

const wakes: readonly Prompt['sourceKind'][] = ['parent_wakeup', 'project_event_wake'];

/** A wake may find its agent asleep, and a task may wait for a place on a node. */
const lifetimeMs = ({ kind, sourceKind }: Pick<Prompt, 'kind' | 'sourceKind'>): number =>
  kind === 'start' || wakes.includes(sourceKind) ? dayMs : hourMs;

/** Until when a prompt that is taken on now is worth delivering. */
export const deadlineOf = (prompt: Pick<Prompt, 'kind' | 'sourceKind'>, now: Date): string =>
  new Date(now.getTime() + lifetimeMs(prompt)).toISOString();

export function newPrompt(asked: NewPrompt, now: Date): Prompt {
  const at = now.toISOString();
  return {
    sourceTaskId: null,
    metadata: null,
    ackRequired: false,
    ackTimeoutMs: null,
    redeliveries: 0,
    isLone: null,
    ...asked,
    promptMessageId: asked.promptMessageId ?? asked.deliveryId,
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
    deadlineAt: deadlineOf(asked, now),
    version: 1,
    createdAt: at,
    updatedAt: at,
  };
}
