import { DomainError } from '../../shared/errors.js';
import type { Log } from '../../shared/log.js';
import type { Table } from '../../shared/table.js';
import { cancelSubscription } from '../event-subscriptions/end-subscription.js';
import type { EventSubscription } from '../event-subscriptions/event-subscription.js';
import { AlongsideRefused } from '../prompts/errors.js';
import { takesNoMore } from '../prompts/prompt-by-system.js';
import { trySendWakeUp, type WakeUpQueues } from '../prompts/wake-up.js';
import { transact } from '../records/transact.js';
import { progress } from './claim-writes.js';
import { closeMatches, passMatches } from './close-matches.js';
import { type LoadedWake, loadWake } from './load-wake.js';
import { materialiseWake } from './materialise-wake.js';
import { afterCooldown, planWake, type WakePlan } from './plan-wake.js';
import { settleOpenWake } from './settle-wake.js';

export interface WakeDeps {
  readonly table: Table;
  readonly wakeUpQueues: WakeUpQueues;
  /** PROJECT_EVENT_WAKE_ENABLED. Without it matches are recorded and wait. */
  readonly isEnabled: boolean;
  readonly now: Date;
  readonly newId: () => string;
  readonly log: Log;
}

/** Each round moves the subscription on, or meets a concurrent change. The sweep does the rest. */
const maxRounds = 8;

/**
 * Does what is due with the matches of a subscription: one wake at most, or their end. Repeated,
 * late or concurrent calls do it once. Returns whether the chat was woken.
 */
export async function wakeSubscription(deps: WakeDeps, seen: EventSubscription): Promise<boolean> {
  if (!deps.isEnabled) return false;
  for (let round = 0; round < maxRounds; round += 1) {
    const loaded = await loadWake(deps.table, seen);
    if (!loaded?.subscription.wakeDueAt) return false;
    const outcome = await carryOut(deps, loaded, planWake(loaded, deps.now));
    if (outcome !== 'again') return outcome === 'woken';
  }
  return false;
}

type Outcome = 'woken' | 'done' | 'again';

async function carryOut(deps: WakeDeps, loaded: LoadedWake, plan: WakePlan): Promise<Outcome> {
  const { table, now } = deps;
  if (plan.do === 'rest') {
    await passMatches(table, loaded, now);
    return 'again';
  }
  if (plan.do === 'close') {
    await closeMatches(table, loaded, { ...plan, now });
    return 'again';
  }
  if (plan.do === 'cancel') {
    await cancelSubscription(table, loaded.subscription, { by: authority, reason: authorityLost, now });
    return 'again';
  }
  if (plan.do === 'defer') return defer(deps, loaded, plan.until);
  return wake(deps, loaded, plan.chat);
}

/** The party that cancels subscriptions whose owner has lost its rights. */
const authority = { type: 'system', id: 'project-event-wake-authority' } as const;
const authorityLost = 'source_task_authority_revoked';

async function defer({ table, now }: WakeDeps, loaded: LoadedWake, dueAt: string): Promise<Outcome> {
  // The stream may not have shown yet what became of the last wake.
  if (loaded.target && (await settleOpenWake(table, loaded.target, now))) return 'again';
  // A match that came at the same time has changed the subscription: it is due again at once.
  await transact(table, [progress(loaded, { dueAt, now })]);
  return 'done';
}

async function wake(deps: WakeDeps, loaded: LoadedWake, chat: NonNullable<LoadedWake['chat']>) {
  const { table, wakeUpQueues, log, now } = deps;
  const { chatId } = chat;
  const batchId = deps.newId();
  try {
    await materialiseWake(table, loaded, { chat, batchId, now });
  } catch (error) {
    return afterRefusal(deps, loaded, error);
  }
  await trySendWakeUp({ wakeUpQueues, log }, { chatId, wakeUpId: batchId });
  const { subscriptionId } = loaded.subscription;
  log.info('Chat woken by events', { chatId, batchId, subscriptionId, events: loaded.matches.length });
  return 'woken';
}

async function afterRefusal(deps: WakeDeps, loaded: LoadedWake, error: unknown): Promise<Outcome> {
  const { table, now } = deps;
  if (error instanceof AlongsideRefused) return 'again';
  if (isQueueFull(error)) return defer(deps, loaded, afterCooldown(now));
  if (!takesNoMore(error)) throw error;
  await closeMatches(table, loaded, { to: 'recorded_not_injected', reason: 'chat_ended', now });
  return 'again';
}

const isQueueFull = (error: unknown): boolean =>
  error instanceof DomainError && error.code === 'PROMPT_QUEUE_FULL';
