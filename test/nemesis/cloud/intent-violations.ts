import type { CloudViolation } from './check-cloud.js';
import type { CloudFault, CloudFaultKind, CloudInvocation, Intent, Outcome } from './cloud-history.js';

/** All that is known of one message, and of what may have touched its chat. */
interface Known {
  readonly outcome: Outcome | undefined;
  readonly deliveries: readonly string[];
  readonly isRefused: boolean;
  /** Places of the messages of its chat that interrupt. */
  readonly interruptedAt: readonly number[];
  readonly invocations: readonly CloudInvocation[];
  readonly faults: readonly CloudFault[];
  readonly timesShown: number;
  readonly timesAnswered: number;
}

/** Clocks are those of one machine; a fault may have had effect before it was recorded. */
const slackMs = 10_000;

/** After these faults it is unknown which prompts an agent received. */
const mayCostAnAnswer: readonly CloudFaultKind[] = [
  'kill_agent',
  'freeze_agent',
  'kill_harness',
  'kill_worker',
  'lose_node',
  'remove_member',
];
/** These end a turn before what it says is kept by its node. */
const cutsATurn: readonly CloudFaultKind[] = ['kill_agent', 'kill_harness', 'lose_node', 'remove_member'];
/** After these the chat has no agent any more. */
const endsTheAgent: readonly CloudFaultKind[] = ['lose_node', 'remove_member'];

export function* intentViolations(intent: Intent, known: Known): Generator<CloudViolation> {
  const { messageId } = intent;
  const violation = (rule: CloudViolation['rule'], detail: string) => ({ rule, messageId, detail });
  const { outcome, invocations, deliveries, timesShown, timesAnswered, isRefused } = known;
  if (invocations.length > 1) yield violation('invoked_twice', `${invocations.length} times`);
  if (timesAnswered > 1) yield violation('answered_twice', `${timesAnswered} times`);
  if (invocations.some(({ text }) => !text.includes(intent.text)))
    yield violation('invoked_with_another_text', 'The agent got something else');
  if (intent.by === 'stranger' && deliveries.length > 0)
    yield violation('taken_from_a_stranger', 'It was answered 202');
  if (deliveries.length === 0) {
    if (isRefused && invocations.length + timesShown > 0)
      yield violation('refused_all_the_same', `Invoked ${invocations.length}, shown ${timesShown} times`);
    return;
  }
  if (new Set(deliveries).size > 1) yield violation('accepted_as_two', deliveries.join(' '));
  if (timesShown !== 1) yield violation('not_shown_once', `${timesShown} times`);
  yield* invocationViolations(intent, known);
  if (!outcome) yield violation('lost', 'It was answered 202');
  else yield* outcomeViolations(outcome, known);
}

function* outcomeViolations(
  { messageId, state, reason, createdAt, sequence }: Outcome,
  { invocations, faults, interruptedAt }: Known,
): Generator<CloudViolation> {
  const violation = (rule: CloudViolation['rule'], detail = `${state}: ${reason}`) => ({
    rule,
    messageId,
    detail,
  });
  const wasInvoked = invocations.length > 0;
  const isAfter = (kinds: readonly CloudFaultKind[]) =>
    faults.some(({ kind, to }) => kinds.includes(kind) && to >= createdAt - slackMs);
  const hasFailed = state === 'failed' || state === 'expired';
  if (state === 'delivered' && !wasInvoked && !isAfter(endsTheAgent))
    yield violation('delivered_without_invocation', 'The agent never had it');
  if (hasFailed && wasInvoked) yield violation('invoked_all_the_same');
  // A turn that is cancelled before the agent was given its prompt.
  const isCancelled = reason === 'never_invoked' && interruptedAt.some((place) => place > sequence);
  if (hasFailed && !isCancelled && !faults.some(({ kind }) => endsTheAgent.includes(kind)))
    yield violation('failed_without_cause');
  if (state === 'ambiguous' && !isAfter(mayCostAnAnswer)) yield violation('ambiguous_without_cause');
  if (['queued', 'delivering', 'retry_wait'].includes(state)) yield violation('never_settled');
}

function* invocationViolations({ messageId }: Intent, known: Known): Generator<CloudViolation> {
  const { faults, timesAnswered } = known;
  for (const { at, endedAt } of known.invocations) {
    const late = faults.find(({ kind, to }) => endsTheAgent.includes(kind) && at > to);
    if (late)
      yield { rule: 'invoked_after_the_end', messageId, detail: `${at - late.to} ms after ${late.kind}` };
    const isCut = faults.some(
      ({ kind, from, to }) =>
        cutsATurn.includes(kind) && to >= at - slackMs && from <= (endedAt ?? at) + slackMs,
    );
    if (endedAt !== null && timesAnswered === 0 && !isCut)
      yield { rule: 'answer_lost', messageId, detail: 'The agent has said it, and nobody is shown it' };
  }
}
