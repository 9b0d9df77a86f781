import type { Table } from '../../shared/table.js';
import type { Chat } from '../chats/chat.js';
import { ChatNotFound } from '../chats/errors.js';
import { findChat } from '../chats/find-chat.js';
import type { StartSettings } from '../node-client/prompt-calls.js';
import { ackDueOf } from './acknowledgement.js';
import { askReadiness, askReceipt, type Readiness, sendPrompt } from './ask-node.js';
import { beginAttempt } from './begin-attempt.js';
import { chooseStep, type Step, type Target } from './choose-step.js';
import { confirmPrompt } from './confirm-prompt.js';
import { type Answer, decideMove, type Move } from './decide-move.js';
import { delayPrompt } from './delay-prompt.js';
import { type LoadedDelivery, loadDelivery } from './load-delivery.js';
import { nodeDeliveryId } from './node-delivery.js';
import { type NodeParts, openNode } from './open-node.js';
import type { DeliveryReason, Prompt } from './prompt.js';
import { type Settlement, settlePrompt } from './settle-prompt.js';

export interface DeliveryParts extends NodeParts {
  readonly newId: () => string;
  /** How to begin the agent with a prompt that begins it; without it, as its agent session says. */
  readonly start?: StartSettings;
}

/** How a delivery stands after an attempt. */
export type Delivery =
  /** Where it has to be acknowledged, by then. */
  | { readonly outcome: 'delivered'; readonly ackDueAt: Date | null }
  /** It was put off until then, just now. */
  | { readonly outcome: 'retry'; readonly isNew: true; readonly at: Date }
  /** It was put off before, or by somebody else; null when something else has to happen first, which rings the bell. */
  | { readonly outcome: 'retry'; readonly isNew: false; readonly at: Date | null }
  | { readonly outcome: 'failed' | 'ambiguous'; readonly reason: DeliveryReason };

/**
 * Makes one attempt to deliver a prompt, from wherever its record stands; a repeat, at any moment, delivers nothing twice.
 * At most six table calls.
 *
 * @throws {ChatNotFound}
 */
export async function attemptDelivery(
  table: Table,
  parts: DeliveryParts,
  { chatId, deliveryId }: { readonly chatId: string; readonly deliveryId: string },
): Promise<Delivery> {
  const chat = await findChat(table, chatId);
  if (!chat) throw new ChatNotFound();
  return deliverLoaded(table, parts, await loadDelivery(table, chat, deliveryId));
}

/** The same for who has read all of it. */
export async function deliverLoaded(
  table: Table,
  parts: DeliveryParts,
  { prompt, target }: LoadedDelivery,
): Promise<Delivery> {
  const delivering = { table, parts, prompt, target };
  const step = chooseStep(prompt, target, parts.now);
  switch (step.do) {
    case 'nothing':
      return settled(prompt);
    case 'wait':
      return { outcome: 'retry', isNew: false, at: step.until };
    case 'give_up':
      return settle(delivering, { to: step.to, reason: step.reason });
    case 'ask_receipt':
      return follow(delivering, await answerOfLost(delivering));
    case 'attempt':
      return attempt(delivering, step);
  }
}

/** Somebody else has moved it, or another one of its chat. */
const overtaken: Delivery = { outcome: 'retry', isNew: false, at: null };

const notReached: Answer = { told: 'not_reached' };

interface Delivering extends LoadedDelivery {
  readonly table: Table;
  readonly parts: DeliveryParts;
}

/**
 * Asks the node for the prompt that it took last, where nothing else is to be done in the chat. Four table calls at most.
 */
export async function confirmLast(
  table: Table,
  parts: DeliveryParts,
  { chat, deliveryId }: { readonly chat: Chat; readonly deliveryId: string },
): Promise<void> {
  const loaded = await loadDelivery(table, chat, deliveryId);
  const { prompt } = loaded;
  const node = await openNode(table, parts, loaded.target);
  // Where the node is gone, nobody will ever tell.
  const answer: Answer = node ? await askReceipt(node, nodeDeliveryId(prompt)) : { told: 'lost' };
  await confirmPrompt(table, prompt, { chat, answer, now: parts.now });
}

async function attempt(
  delivering: Delivering,
  { isAsleep, cancelsFirst }: Extract<Step, { do: 'attempt' }>,
): Promise<Delivery> {
  const { table, prompt, target, parts } = delivering;
  const start = startOf(prompt, target, parts.start);
  const ready = await readinessOf(delivering, isAsleep);
  const present = ready.isReady ? await confirmWhatWasCut(delivering, ready) : delivering;
  const written = {
    kind: start ? ('start' as const) : ('prompt' as const),
    attemptId: parts.newId(),
    runtimeIdentity: ready.isReady ? ready.runtimeIdentity : null,
    adapterProtocolVersion: ready.isReady ? ready.protocolVersion : null,
    receiptSupported: ready.isReady ? true : null,
  };
  const taken = await beginAttempt(table, present, { attempt: written, now: parts.now });
  if (!taken) return overtaken;
  const begun = { ...delivering, ...taken };
  if (!ready.isReady) return follow(begun, ready.answer);
  return follow(begun, await sendPrompt(ready.node, begun.prompt, { start, cancelsFirst }));
}

async function readinessOf({ table, parts, target }: Delivering, isAsleep: boolean): Promise<Readiness> {
  if (isAsleep) return { isReady: false, answer: { told: 'asleep' } };
  const node = await openNode(table, parts, target);
  return node ? askReadiness(node) : { isReady: false, answer: notReached };
}

/** Before the next prompt takes the place of the last one: whether a crash has come between it and its agent. */
async function confirmWhatWasCut(
  delivering: Delivering,
  { node, runtimeIdentity }: Extract<Readiness, { isReady: true }>,
): Promise<Delivering> {
  const { table, parts, target } = delivering;
  const { chat, unconfirmed } = target;
  if (!unconfirmed) return delivering;
  const isSameRun = unconfirmed.runtimeIdentity === runtimeIdentity;
  const isSameAgent = (chat.activity?.restartCount ?? 0) === (chat.unconfirmedRestarts ?? 0);
  if (isSameRun && isSameAgent) return delivering;
  const answer = await askReceipt(node, nodeDeliveryId(unconfirmed));
  const present = await confirmPrompt(table, unconfirmed, { chat, answer, now: parts.now });
  return { ...delivering, target: { ...target, chat: present } };
}

/**
 * What begins the agent with this prompt: decided at its first attempt and the same ever after, for to the node a start and
 * a prompt are different requests.
 */
function startOf(
  { kind, deliveryAttempts, attemptId }: Prompt,
  { chat, session }: Target,
  given: StartSettings | undefined,
): StartSettings | undefined {
  const wasTried = attemptId !== null || deliveryAttempts > 0;
  const begins = kind === 'start' || (!wasTried && !chat.isBegun);
  if (!begins || !session) return undefined;
  if (given) return given;
  const { agentType, projectId } = session;
  return agentType === null ? undefined : { agentType, ...(projectId ? { projectId } : {}) };
}

async function answerOfLost({ table, parts, prompt, target }: Delivering): Promise<Answer> {
  // It was begun only to be put off: the node was not asked.
  if (prompt.runtimeIdentity === null) return notReached;
  const node = await openNode(table, parts, target);
  return node ? askReceipt(node, nodeDeliveryId(prompt)) : { told: 'receipt_unavailable' };
}

/** Writes down what an answer means. */
function follow(delivering: Delivering, answer: Answer): Promise<Delivery> | Delivery {
  const { prompt, parts } = delivering;
  const move = decideMove(prompt, answer, parts.now);
  if (move.to === 'delivering') return { outcome: 'retry', isNew: true, at: move.at };
  return move.to === 'retry_wait' ? delay(delivering, move) : settle(delivering, move);
}

async function delay(
  { table, prompt, target: { chat }, parts: { now } }: Delivering,
  move: Extract<Move, { to: 'retry_wait' }>,
): Promise<Delivery> {
  const moved = await delayPrompt(table, prompt, { move, chat, now });
  return moved ? { outcome: 'retry', isNew: true, at: move.at } : overtaken;
}

async function settle(
  { table, prompt, target, parts: { now } }: Delivering,
  settlement: Settlement,
): Promise<Delivery> {
  const moved = await settlePrompt(table, prompt, { chat: target.chat, settlement, now });
  return moved ? settled(moved) : overtaken;
}

function settled(prompt: Prompt): Delivery {
  const { deliveryState, terminalReason } = prompt;
  const ackDueAt = ackDueOf(prompt);
  if (deliveryState === 'delivered' || deliveryState === 'acked')
    return { outcome: 'delivered', ackDueAt: ackDueAt === null ? null : new Date(ackDueAt) };
  const reason = terminalReason ?? 'lost_response';
  return { outcome: deliveryState === 'ambiguous' ? 'ambiguous' : 'failed', reason };
}
