import type { Table } from '../../shared/table.js';
import { chatChange } from '../chats/change-chat.js';
import type { Chat } from '../chats/chat.js';
import { chatNotFound } from '../chats/errors.js';
import { findChat } from '../chats/find-chat.js';
import type { StartSettings } from '../node-client/prompt-calls.js';
import { transact, type Write } from '../records/transact.js';
import { confirmBeforeNext, confirmInterrupted } from './confirmation.js';
import { type DeliveryOutcome, type NodeAnswer, outcomeOf } from './delivery-outcome.js';
import { type DeliveryPlan, planDelivery } from './delivery-plan.js';
import {
  type DeliveryTarget,
  type LoadedDelivery,
  loadDelivery,
  type NodeDeps,
  openNode,
} from './load-delivery.js';
import type { DeliveryReason, Prompt } from './prompt.js';
import { ackDueOf, isUrgent, movePrompt, promptMove } from './prompt-state.js';
import { enqueue, isDelivering, unqueuedRef } from './queue.js';
import { type Settlement, scheduleRetry, settlePrompt } from './record-outcome.js';
import { askReadiness, askReceipt, nodeDeliveryId, type Readiness, sendPrompt } from './send-prompt.js';

export interface DeliveryDeps extends NodeDeps {
  readonly newId: () => string;
  /**
   * The settings to start the agent with; otherwise its agent session says which agent to start.
   */
  readonly start?: StartSettings;
  /** Wakes a sleeping workspace, or joins the wake in progress. */
  readonly wake?: (workspaceId: string) => Promise<void>;
}

/** The state of a delivery after an attempt. */
export type AttemptResult =
  | { readonly outcome: 'delivered'; readonly ackDueAt: Date | null }
  /** This attempt has scheduled the retry. */
  | { readonly outcome: 'retry'; readonly isNew: true; readonly at: Date }
  /** The retry was scheduled before, or waits for an event that sends a wake-up (`at` is null). */
  | { readonly outcome: 'retry'; readonly isNew: false; readonly at: Date | null }
  | { readonly outcome: 'failed' | 'ambiguous'; readonly reason: DeliveryReason };

/**
 * Makes one attempt to deliver a prompt, from its stored state. A repeat at any moment delivers
 * nothing twice. At most six table calls, and two more when it interrupted another prompt.
 *
 * @throws {chatNotFound}
 */
export async function attemptDelivery(
  table: Table,
  deps: DeliveryDeps,
  { chatId, deliveryId }: { readonly chatId: string; readonly deliveryId: string },
): Promise<AttemptResult> {
  const chat = await findChat(table, chatId);
  if (!chat) throw chatNotFound();
  return deliverLoaded(table, deps, await loadDelivery(table, chat, deliveryId));
}

/** `attemptDelivery` for a caller that has loaded the delivery. */
export async function deliverLoaded(
  table: Table,
  deps: DeliveryDeps,
  { prompt, target }: LoadedDelivery,
): Promise<AttemptResult> {
  const delivery = { table, deps, prompt, target };
  const plan = planDelivery(prompt, target, deps.now);
  switch (plan.do) {
    case 'nothing':
      return resultOf(prompt);
    case 'wait':
      return { outcome: 'retry', isNew: false, at: plan.until };
    case 'give_up':
      return settle(delivery, { to: plan.to, reason: plan.reason });
    case 'ask_receipt':
      return record(delivery, await answerOfAbandoned(delivery));
    case 'attempt':
      return attempt(delivery, plan);
  }
}

/** Another worker has changed this prompt, or delivers another one of the chat. */
const conflict: AttemptResult = { outcome: 'retry', isNew: false, at: null };

interface Delivery extends LoadedDelivery {
  readonly table: Table;
  readonly deps: DeliveryDeps;
}

async function attempt(
  delivery: Delivery,
  { isAsleep, cancelsFirst }: Extract<DeliveryPlan, { do: 'attempt' }>,
): Promise<AttemptResult> {
  const { table, prompt, target, deps } = delivery;
  const { newId, now } = deps;
  const start = startSettings(prompt, target, deps.start);
  const ready = await readinessOf(delivery, isAsleep);
  const current = ready.isReady ? await confirmBeforeNext(table, delivery, { ...ready, now }) : delivery;
  const fields: AttemptFields = {
    kind: start ? 'start' : 'prompt',
    attemptId: newId(),
    runtimeIdentity: ready.isReady ? ready.runtimeIdentity : null,
    adapterProtocolVersion: ready.isReady ? ready.protocolVersion : null,
    receiptSupported: ready.isReady ? true : null,
  };
  const begun = await beginAttempt(table, current, { fields, now });
  if (!begun) return conflict;
  const attempted = { ...delivery, ...begun };
  if (!ready.isReady) return record(attempted, ready.answer);
  return record(attempted, await sendPrompt(ready.node, begun.prompt, { start, cancelsFirst }));
}

async function readinessOf({ table, deps, target }: Delivery, isAsleep: boolean): Promise<Readiness> {
  if (isAsleep) {
    // Before the retry is recorded, so that a failed request is repeated at once.
    if (target.workspace) await deps.wake?.(target.workspace.workspaceId);
    return { isReady: false, answer: { is: 'asleep' } };
  }
  const node = await openNode(table, deps, target);
  return node ? askReadiness(node) : { isReady: false, answer: { is: 'not_reached' } };
}

/**
 * The settings to start the agent with this prompt, if it does. To a node that may know the prompt,
 * a start and a prompt are different requests, so this is not decided again. It is after an attempt
 * that reached no node: a wake may have lost the conversation of the agent.
 */
function startSettings(
  { kind, runtimeIdentity }: Prompt,
  { chat, session }: DeliveryTarget,
  given: StartSettings | undefined,
): StartSettings | undefined {
  const startsAgent = kind === 'start' || (runtimeIdentity === null && !chat.isStarted);
  if (!startsAgent || !session) return undefined;
  if (given) return given;
  const { agentType, projectId, launch } = session;
  if (agentType === null) return undefined;
  // The node asks for the other settings of the session.
  const injectedInstructions = launch?.systemPromptAppend.map(({ text }) => text).join('\n\n');
  return {
    agentType,
    ...(projectId ? { projectId } : {}),
    ...(injectedInstructions ? { injectedInstructions } : {}),
  };
}

type AttemptFields = Pick<
  Prompt,
  'kind' | 'attemptId' | 'runtimeIdentity' | 'adapterProtocolVersion' | 'receiptSupported'
>;

/**
 * Records an attempt before the request to the node: after a crash, the next worker compares its
 * `runtimeIdentity` with the node's. Undefined when another worker delivers this prompt or another
 * one of the chat. One table call.
 */
export async function beginAttempt(
  table: Table,
  { prompt, target }: LoadedDelivery,
  { fields, now }: { readonly fields: AttemptFields; readonly now: Date },
): Promise<LoadedDelivery | undefined> {
  const change = {
    ...fields,
    deliveryState: 'delivering' as const,
    deliveryAttempts: prompt.deliveryAttempts + 1,
    attemptStartedAt: now.toISOString(),
    nextAttemptAt: null,
  };
  const begun = { ...prompt, ...change, version: prompt.version + 1 };
  const { chat } = target;
  if (prompt.isUnqueued) {
    // An attempt for another prompt of the chat enqueues this one first, and so changes its
    // version.
    if (chat.deliveringId !== undefined) return undefined;
    const isStarted = await movePrompt(table, prompt, { change, now });
    return isStarted ? { prompt: begun, target } : undefined;
  }
  if (isDelivering(target.unqueued) && !startsAgentOf(chat, prompt)) return undefined;
  const { committed } = await transact(table, [
    promptMove(prompt, change, now),
    ...reserveChat({ prompt, target }, now),
  ]);
  const reserved = { ...chat, deliveringId: prompt.deliveryId };
  return committed ? { prompt: begun, target: { ...target, chat: reserved } } : undefined;
}

/** The chat delivers one queued prompt at a time. Its unqueued prompt moves into the queue. */
function reserveChat({ prompt, target: { chat, unqueued } }: LoadedDelivery, now: Date): readonly Write[] {
  const waiting = startsAgentOf(chat, prompt) ? undefined : unqueued;
  const reserve = chatChange(chat.chatId, {
    set: { deliveringId: prompt.deliveryId, unqueued: waiting ? null : undefined },
    when: {
      oneOf: { status: ['active', 'sleeping'] },
      absent: ['deliveringId'],
      equals: waiting ? { unqueued: unqueuedRef(waiting) } : {},
    },
    isInternal: true,
    now,
  });
  return [{ update: reserve }, ...(waiting ? enqueue(waiting, now) : [])];
}

/**
 * The prompt starts the chat's new agent. What an earlier agent left in the chat does not hold it
 * up.
 */
const startsAgentOf = ({ startDeliveryId }: Chat, { deliveryId }: Prompt): boolean =>
  startDeliveryId === deliveryId;

async function answerOfAbandoned({ table, deps, prompt, target }: Delivery): Promise<NodeAnswer> {
  // The attempt was recorded only to schedule a retry: the node was not asked.
  if (prompt.runtimeIdentity === null) return { is: 'not_reached' };
  const node = await openNode(table, deps, target);
  return node ? askReceipt(node, nodeDeliveryId(prompt)) : { is: 'receipt_unavailable' };
}

/** Records the outcome that follows from an answer. */
function record(delivery: Delivery, answer: NodeAnswer): Promise<AttemptResult> | AttemptResult {
  const { prompt, deps } = delivery;
  const outcome = outcomeOf(prompt, answer, deps.now);
  if (outcome.to === 'delivering') return { outcome: 'retry', isNew: true, at: outcome.at };
  return outcome.to === 'retry_wait' ? retryLater(delivery, outcome) : settle(delivery, outcome);
}

async function retryLater(
  { table, prompt, target: { chat }, deps: { now } }: Delivery,
  outcome: Extract<DeliveryOutcome, { to: 'retry_wait' }>,
): Promise<AttemptResult> {
  const moved = await scheduleRetry(table, prompt, { outcome, chat, now });
  return moved ? { outcome: 'retry', isNew: true, at: outcome.at } : conflict;
}

async function settle(delivery: Delivery, settlement: Settlement): Promise<AttemptResult> {
  const { table, prompt, deps } = delivery;
  const { now } = deps;
  const interrupts = settlement.to === 'delivered' && isUrgent(prompt.messageClass);
  const chat = interrupts ? await confirmInterrupted(table, deps, delivery.target) : delivery.target.chat;
  const moved = await settlePrompt(table, prompt, { chat, settlement, now });
  return moved ? resultOf(moved) : conflict;
}

function resultOf(prompt: Prompt): AttemptResult {
  const { deliveryState, terminalReason } = prompt;
  const ackDueAt = ackDueOf(prompt);
  if (deliveryState === 'delivered' || deliveryState === 'acked')
    return { outcome: 'delivered', ackDueAt: ackDueAt === null ? null : new Date(ackDueAt) };
  const reason = terminalReason ?? 'lost_response';
  return { outcome: deliveryState === 'ambiguous' ? 'ambiguous' : 'failed', reason };
}
