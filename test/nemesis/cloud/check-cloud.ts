import { deliveryOf, type Invocation } from '../agent/history.js';
import type { CloudFault, CloudFaultKind, CloudHistory, Intent, Outcome } from './cloud-history.js';

export interface CloudViolation {
  readonly rule:
    | 'lost'
    | 'invoked_twice'
    | 'invoked_with_another_text'
    | 'delivered_without_invocation'
    | 'invoked_all_the_same'
    | 'ambiguous_without_cause'
    | 'never_settled'
    | 'accepted_as_two'
    | 'not_shown_once'
    | 'out_of_order';
  readonly messageId: string;
  readonly detail: string;
}

export interface CloudVerdict {
  readonly violations: readonly CloudViolation[];
  readonly counts: Readonly<Record<string, number>>;
}

/** Clocks are those of one machine; a fault may have begun to tell before it was written down. */
const slackMs = 10_000;

/**
 * Holds what people were told, what the API says in the end and what the coding agents wrote down against each other: each
 * message that was taken on reached its agent once, or its end is said and explained.
 */
export function checkCloud(history: CloudHistory, invocations: readonly Invocation[]): CloudVerdict {
  const invoked = Map.groupBy(invocations, ({ text }) => deliveryOf(text) ?? '');
  const outcomes = new Map(history.outcomes.map((outcome) => [outcome.messageId, outcome]));
  const acceptances = Map.groupBy(history.accepted, ({ messageId }) => messageId);
  const ofStates = (state: string) => history.outcomes.filter((outcome) => outcome.state === state).length;
  return {
    violations: [
      ...history.intents.flatMap((intent) => [
        ...violationsOf(intent, {
          outcome: outcomes.get(intent.messageId),
          deliveries: (acceptances.get(intent.messageId) ?? []).map(({ deliveryId }) => deliveryId),
          invocations: invoked.get(intent.messageId) ?? [],
          faults: history.faults,
          shown: history.shown.get(intent.sessionId) ?? [],
        }),
      ]),
      ...orderViolations(history.outcomes, invoked),
    ],
    counts: {
      prompts: history.intents.length,
      chats: history.shown.size,
      requestsAccepted: history.accepted.length,
      invocations: invocations.length,
      delivered: ofStates('delivered'),
      failed: ofStates('failed') + ofStates('expired'),
      ambiguous: ofStates('ambiguous'),
      ...Object.fromEntries(
        faultKinds.map((kind) => [kind, history.faults.filter((fault) => fault.kind === kind).length]),
      ),
    },
  };
}

const faultKinds: readonly CloudFaultKind[] = [
  'kill_agent',
  'freeze_agent',
  'kill_harness',
  'kill_worker',
  'ring_twice',
  'lose_bell',
];

interface Known {
  readonly outcome: Outcome | undefined;
  readonly deliveries: readonly string[];
  readonly invocations: readonly Invocation[];
  readonly faults: readonly CloudFault[];
  readonly shown: readonly string[];
}

function* violationsOf(intent: Intent, known: Known): Generator<CloudViolation> {
  const { messageId } = intent;
  const violation = (rule: CloudViolation['rule'], detail: string) => ({ rule, messageId, detail });
  const { outcome, invocations, deliveries, shown } = known;
  if (invocations.length > 1) yield violation('invoked_twice', `${invocations.length} times`);
  if (invocations.some(({ text }) => !text.includes(intent.text)))
    yield violation('invoked_with_another_text', 'The agent got something else');
  if (deliveries.length === 0) return;
  if (new Set(deliveries).size > 1) yield violation('accepted_as_two', deliveries.join(' '));
  const times = shown.filter((id) => id === messageId).length;
  if (times !== 1) yield violation('not_shown_once', `${times} times`);
  if (!outcome) yield violation('lost', 'It was answered 202');
  else yield* outcomeViolations(outcome, known);
}

function* outcomeViolations(
  { messageId, state, reason, createdAt }: Outcome,
  { invocations, faults }: Known,
): Generator<CloudViolation> {
  const wasInvoked = invocations.length > 0;
  const isExplained = faults.some(({ kind, to }) => mayCostAnAnswer.has(kind) && to >= createdAt - slackMs);
  if (state === 'delivered' && !wasInvoked)
    yield { rule: 'delivered_without_invocation', messageId, detail: 'The agent never had it' };
  if ((state === 'failed' || state === 'expired') && wasInvoked)
    yield { rule: 'invoked_all_the_same', messageId, detail: `It is ${state}: ${reason}` };
  if (state === 'ambiguous' && !isExplained)
    yield { rule: 'ambiguous_without_cause', messageId, detail: String(reason) };
  if (['queued', 'delivering', 'retry_wait'].includes(state))
    yield { rule: 'never_settled', messageId, detail: `${state}: ${reason}` };
}

const mayCostAnAnswer: ReadonlySet<CloudFaultKind> = new Set([
  'kill_agent',
  'freeze_agent',
  'kill_harness',
  'kill_worker',
]);

/** Messages of one session reach its agent in the order in which they stand there. */
function* orderViolations(
  outcomes: readonly Outcome[],
  invoked: ReadonlyMap<string, readonly Invocation[]>,
): Generator<CloudViolation> {
  for (const ofSession of Map.groupBy(outcomes, ({ sessionId }) => sessionId).values()) {
    let latest = 0;
    for (const { messageId } of ofSession.toSorted((one, other) => one.sequence - other.sequence)) {
      const at = invoked.get(messageId)?.[0]?.at ?? latest;
      if (at < latest) yield { rule: 'out_of_order', messageId, detail: `${latest - at} ms early` };
      latest = Math.max(latest, at);
    }
  }
}
