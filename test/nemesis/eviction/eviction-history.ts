export const evictionFaultKinds = [
  'upload',
  'answer',
  'report_answer',
  'stop',
  'kill_at_commit',
  'kill_at_callback',
  'disk_full',
  'restart_during',
  'two_victims',
  'pressure_passes',
] as const;
export type EvictionFaultKind = (typeof evictionFaultKinds)[number];

/** One eviction of one workspace, from its trigger to the end of its restore. */
export interface EvictionRound {
  readonly number: number;
  readonly trigger: 'pressure' | 'out_of_memory';
  readonly faults: readonly EvictionFaultKind[];
  /** `uncaptured`: it ran out of memory, was not captured, and waited for a person. */
  readonly outcome: 'evicted' | 'uncaptured' | 'stuck';
  /** The states before and after are equal, byte by byte; null: not restored to compare. */
  readonly isEqual: boolean | null;
  /** Starts that three requests at once have caused. */
  readonly starts: number;
  readonly wasInterrupted: boolean;
  /** Messages that continue the interrupted work. */
  readonly continuations: number;
  readonly repeats: number;
  /** A repeated or stale report has changed a row. */
  readonly repeatChanged: boolean;
  /** The node still holds a report, or runs what it has evicted. */
  readonly isNodePending: boolean;
  readonly milliseconds: number;
  readonly detail: string;
}

export interface EvictionHistory {
  readonly rounds: EvictionRound[];
  readonly agentKills: { count: number };
  /** Observed while the rounds ran. */
  readonly broken: EvictionViolation[];
}

export const emptyEvictionHistory = (): EvictionHistory => ({
  rounds: [],
  agentKills: { count: 0 },
  broken: [],
});

export interface EvictionViolation {
  readonly rule:
    | 'stopped_without_snapshot'
    | 'innocent_stopped'
    | 'work_lost'
    | 'started_not_once'
    | 'continued_not_once'
    | 'repeat_had_effect'
    | 'node_pending'
    | 'stuck';
  readonly detail: string;
}

const rules: Readonly<
  Record<
    Exclude<EvictionViolation['rule'], 'stopped_without_snapshot' | 'innocent_stopped'>,
    (round: EvictionRound) => boolean
  >
> = {
  work_lost: ({ isEqual }) => isEqual === false,
  started_not_once: ({ outcome, starts }) => outcome === 'evicted' && starts !== 1,
  continued_not_once: ({ outcome, wasInterrupted, continuations }) =>
    outcome === 'evicted' && continuations !== (wasInterrupted ? 1 : 0),
  repeat_had_effect: ({ repeatChanged }) => repeatChanged,
  node_pending: ({ isNodePending }) => isNodePending,
  stuck: ({ outcome }) => outcome === 'stuck',
};

export function checkEvictions({ rounds, broken }: EvictionHistory): readonly EvictionViolation[] {
  return [
    ...broken,
    ...Object.entries(rules).flatMap(([rule, isBroken]) =>
      rounds
        .filter(isBroken)
        .map((round) => ({ rule: rule as EvictionViolation['rule'], detail: JSON.stringify(round) })),
    ),
  ];
}

export function countEvictions({ rounds, agentKills }: EvictionHistory): Readonly<Record<string, number>> {
  const count = (is: (round: EvictionRound) => boolean) => rounds.filter(is).length;
  const kinds = evictionFaultKinds.map(
    (kind) => [kind, count(({ faults }) => faults.includes(kind))] as const,
  );
  return {
    rounds: rounds.length,
    evicted: count(({ outcome }) => outcome === 'evicted'),
    outOfMemory: count(({ trigger }) => trigger === 'out_of_memory'),
    uncaptured: count(({ outcome }) => outcome === 'uncaptured'),
    restoredBitByBit: count(({ isEqual }) => isEqual === true),
    continued: count(({ continuations }) => continuations > 0),
    repeatedReports: rounds.reduce((sum, { repeats }) => sum + repeats, 0),
    agentKills: agentKills.count,
    ...Object.fromEntries(kinds),
  };
}
