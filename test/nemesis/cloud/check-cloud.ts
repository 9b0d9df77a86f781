import { deliveryOf } from '../agent/history.js';
import { answerTo, type CloudHistory, type CloudInvocation, cloudFaultKinds } from './cloud-history.js';
import { intentViolations } from './intent-violations.js';

export interface CloudViolation {
  readonly rule:
    | 'lost'
    | 'invoked_twice'
    | 'invoked_with_another_text'
    | 'delivered_without_invocation'
    | 'invoked_all_the_same'
    | 'failed_without_cause'
    | 'ambiguous_without_cause'
    | 'never_settled'
    | 'accepted_as_two'
    | 'not_shown_once'
    | 'taken_from_a_stranger'
    | 'refused_all_the_same'
    | 'answered_twice'
    | 'answer_lost'
    | 'out_of_order'
    | 'invoked_after_the_end'
    | 'batch_of_another_life_taken';
  readonly messageId: string;
  readonly detail: string;
}

export interface CloudVerdict {
  readonly violations: readonly CloudViolation[];
  readonly counts: Readonly<Record<string, number>>;
}

/**
 * Compares the replies to people, what the API says in the end and what the coding agents wrote
 * down against each other: each message that was taken on reached its agent once, or its end is
 * said and explained.
 */
export function checkCloud(history: CloudHistory, invocations: readonly CloudInvocation[]): CloudVerdict {
  const invoked = Map.groupBy(invocations, ({ text }) => deliveryOf(text) ?? '');
  const outcomes = new Map(history.outcomes.map((outcome) => [outcome.messageId, outcome]));
  const acceptances = Map.groupBy(history.accepted, ({ messageId }) => messageId);
  const refused = new Set(history.refused);
  const interruptions = history.intents.filter(({ interrupts }) => interrupts);
  return {
    violations: [
      ...history.intents.flatMap((intent) => [
        ...intentViolations(intent, {
          outcome: outcomes.get(intent.messageId),
          deliveries: (acceptances.get(intent.messageId) ?? []).map(({ deliveryId }) => deliveryId),
          isRefused: refused.has(intent.messageId),
          interruptedAt: interruptions
            .filter(({ sessionId }) => sessionId === intent.sessionId)
            .flatMap(({ messageId }) => outcomes.get(messageId)?.sequence ?? []),
          invocations: invoked.get(intent.messageId) ?? [],
          faults: history.faults.filter(
            ({ sessionIds }) => sessionIds === null || sessionIds.includes(intent.sessionId),
          ),
          timesShown: (history.shown.get(intent.sessionId) ?? []).filter((id) => id === intent.messageId)
            .length,
          timesAnswered:
            (history.said.get(intent.sessionId) ?? '').split(answerTo(intent.messageId)).length - 1,
        }),
      ]),
      ...orderViolations(history, invoked),
      ...repeatViolations(history),
    ],
    counts: countsOf(history, invocations),
  };
}

/**
 * Messages of one session reach its agent in the order in which they stand there: those that
 * interrupt, and the others.
 */
function* orderViolations(
  { intents, outcomes }: CloudHistory,
  invoked: ReadonlyMap<string, readonly CloudInvocation[]>,
): Generator<CloudViolation> {
  const urgent = new Set(intents.flatMap(({ interrupts, messageId }) => (interrupts ? [messageId] : [])));
  const orders = Map.groupBy(outcomes, ({ sessionId, messageId }) => `${sessionId} ${urgent.has(messageId)}`);
  for (const order of orders.values()) {
    let latest = 0;
    for (const { messageId } of order.toSorted((one, other) => one.sequence - other.sequence)) {
      const at = invoked.get(messageId)?.[0]?.at ?? latest;
      if (at < latest) yield { rule: 'out_of_order', messageId, detail: `${latest - at} ms early` };
      latest = Math.max(latest, at);
    }
  }
}

/** What says that it is of another life of its workspace than its token is never stored. */
function* repeatViolations({ repeats }: CloudHistory): Generator<CloudViolation> {
  for (const { as, status } of repeats)
    if (as === 'other_generation' && status < 300)
      yield { rule: 'batch_of_another_life_taken', messageId: '', detail: `It was answered ${status}` };
}

function countsOf(
  { intents, shown, accepted, outcomes, faults, repeats }: CloudHistory,
  { length }: readonly CloudInvocation[],
) {
  const ofStates = (...states: string[]) => outcomes.filter(({ state }) => states.includes(state)).length;
  return {
    prompts: intents.filter(({ by }) => by === 'creator').length,
    triedByStrangers: intents.filter(({ by }) => by === 'stranger').length,
    interrupts: intents.filter(({ interrupts }) => interrupts).length,
    chats: shown.size,
    requestsAccepted: accepted.length,
    invocations: length,
    delivered: ofStates('delivered'),
    failed: ofStates('failed', 'expired'),
    ambiguous: ofStates('ambiguous'),
    batchesRepeated: repeats.length,
    ...Object.fromEntries(
      cloudFaultKinds.map((kind) => [kind, faults.filter((fault) => fault.kind === kind).length]),
    ),
  };
}
