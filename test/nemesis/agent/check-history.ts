import {
  deliveryOf,
  type Fault,
  type History,
  type Intent,
  type Invocation,
  type Sighting,
} from './history.js';

interface Violation {
  readonly rule:
    | 'invoked_twice'
    | 'accepted_without_invocation'
    | 'invoked_without_receipt'
    | 'receipt_lost'
    | 'receipt_changed_its_mind'
    | 'never_settled'
    | 'ambiguous_without_cause'
    | 'conflict_accepted'
    | 'invoked_with_another_text';
  readonly deliveryId: string;
  readonly detail: string;
}

export interface Verdict {
  readonly violations: readonly Violation[];
  readonly counts: Readonly<Record<string, number>>;
}

/**
 * How long a node may take to notice the exit of a process, on a busy machine. A prompt that it
 * accepts in that time is not read.
 */
const unnoticedMs = 1_000;
/** All times are of one clock, truncated to milliseconds. */
const slackMs = 5;

/** Checks the histories of client and harness against the guarantees of prompt receipts. */
export function checkHistory(history: History, invocations: readonly Invocation[]): Verdict {
  const invoked = Map.groupBy(invocations, ({ text }) => deliveryOf(text) ?? '');
  const pids = pidsOfSessions(history, invoked);
  const cases = history.intents.map(
    (intent) => new Case(intent, history, { pids, own: invoked.get(intent.deliveryId) ?? [] }),
  );
  return {
    violations: cases.flatMap((one) => [...one.violations()]),
    counts: {
      deliveries: cases.length,
      starts: cases.filter(({ intent }) => intent.kind === 'start').length,
      requests: history.sendings.length,
      cutRequests: history.sendings.filter(({ cut }) => cut !== 'none').length,
      changedPrompts: history.sendings.filter(({ changedText }) => changedText !== null).length,
      invocations: invocations.length,
      completed: cases.filter(({ last }) => last === 'completed').length,
      ambiguous: cases.filter(({ last }) => last === 'ambiguous').length,
      leftAlone: history.givenUp.length,
      agentKills: history.faults.filter(({ kind }) => kind === 'kill_agent').length,
      harnessKills: history.faults.filter(({ kind }) => kind === 'kill_harness').length,
      harnessFreezes: history.faults.filter(({ kind }) => kind === 'freeze_harness').length,
    },
  };
}

/** Harness processes by the session whose prompts they got. */
function pidsOfSessions(
  { intents }: History,
  invoked: ReadonlyMap<string, readonly Invocation[]>,
): ReadonlyMap<number, ReadonlySet<string>> {
  const sessions = new Map<number, Set<string>>();
  for (const { deliveryId, sessionId } of intents)
    for (const { pid } of invoked.get(deliveryId) ?? [])
      sessions.set(pid, (sessions.get(pid) ?? new Set()).add(sessionId));
  return sessions;
}

/** The history of one delivery. */
class Case {
  private readonly sightings: readonly Sighting[];
  private readonly sendings: History['sendings'];
  private readonly faults: readonly Fault[];
  private readonly invocations: readonly Invocation[];
  private readonly wasLeftAlone: boolean;

  constructor(
    readonly intent: Intent,
    history: History,
    invoked: {
      readonly own: readonly Invocation[];
      readonly pids: ReadonlyMap<number, ReadonlySet<string>>;
    },
  ) {
    this.invocations = invoked.own;
    this.faults = history.faults.filter((fault) => this.concerns(fault, invoked.pids));
    const isOwn = ({ deliveryId }: { readonly deliveryId: string }) => deliveryId === intent.deliveryId;
    this.sightings = history.sightings.filter(isOwn).toSorted((one, other) => one.at - other.at);
    this.sendings = history.sendings.filter(isOwn);
    this.wasLeftAlone = history.givenUp.includes(intent.deliveryId);
  }

  get last(): Sighting['state'] | null {
    return this.sightings.at(-1)?.state ?? null;
  }

  *violations(): Generator<Violation> {
    if (this.invocations.length > 1)
      yield this.violation('invoked_twice', `${this.invocations.length} times`);
    if (this.invocations.some(({ text }) => !text.includes(this.intent.text)))
      yield this.violation('invoked_with_another_text', 'The harness got what was refused');
    yield* this.receiptViolations();
    yield* this.conflictViolations();
    if (this.last === 'ambiguous' && !this.isExplained())
      yield this.violation(
        'ambiguous_without_cause',
        'No process was killed between acceptance and sighting',
      );
  }

  private *receiptViolations(): Generator<Violation> {
    const wasAccepted = this.wasAccepted();
    if (wasAccepted && this.last === 'not_found') yield this.violation('receipt_lost', 'It was acknowledged');
    if (this.invocations.length > 0 && (this.last === 'not_found' || this.last === 'accepted'))
      yield this.violation('invoked_without_receipt', `The receipt is ${this.last}`);
    if (this.last === 'completed' && this.invocations.length === 0)
      yield this.violation('accepted_without_invocation', 'It is completed all the same');
    if (this.last === 'in_flight') yield this.violation('never_settled', 'Still in flight at the end');
    const final = this.sightings.find(({ state }) => state === 'completed' || state === 'ambiguous');
    if (this.sightings.some(({ state, askedAt }) => final && askedAt >= final.at && state !== final.state))
      yield this.violation('receipt_changed_its_mind', this.sightings.map(({ state }) => state).join(', '));
  }

  private *conflictViolations(): Generator<Violation> {
    for (const { changedText, status, word } of this.sendings)
      if (changedText !== null && status !== null && word !== 'conflict')
        yield this.violation('conflict_accepted', `${status} ${word}`);
  }

  private wasAccepted(): boolean {
    const isAnswered = this.sendings.some(
      ({ status, changedText }) => changedText === null && (status === 202 || status === 200),
    );
    return isAnswered || (!this.wasLeftAlone && this.sightings.some(({ state }) => state === 'in_flight'));
  }

  /** True when the process of the prompt was killed while the prompt was in flight. */
  private isExplained(): boolean {
    const acceptedAt =
      this.sightings.find((sighting) => sighting.acceptedAt !== null)?.acceptedAt ?? Infinity;
    const seenAt = this.sightings.find(({ state }) => state === 'ambiguous')?.at ?? 0;
    return this.faults.some(({ kind, from, to }) => {
      const earliest = acceptedAt - (kind === 'kill_harness' ? unnoticedMs : slackMs);
      return to >= earliest && from <= seenAt + slackMs;
    });
  }

  /** True when the process belongs to this session, or never got a prompt. */
  private concerns({ kind, pid }: Fault, pids: ReadonlyMap<number, ReadonlySet<string>>): boolean {
    if (kind === 'freeze_harness') return false;
    return kind === 'kill_agent' || (pids.get(pid)?.has(this.intent.sessionId) ?? true);
  }

  private violation(rule: Violation['rule'], detail: string): Violation {
    return { rule, deliveryId: this.intent.deliveryId, detail };
  }
}
