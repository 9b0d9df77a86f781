export const sleepFaultKinds = [
  'none',
  'kill_agent',
  'kill_function',
  'message_during_capture',
  'lose_node',
  'lose_node_of_wake',
  'damage_object',
  'withhold_object',
  'wake_twice',
] as const;
export type SleepFaultKind = (typeof sleepFaultKinds)[number];

/** One sleep and wake of one chat, as its person sees it. */
export interface SleepCycle {
  readonly chat: number;
  readonly number: number;
  readonly faults: readonly SleepFaultKind[];
  /** `stayed`: a fault or a message ended the sleep, and the workspace runs. */
  readonly outcome: 'slept' | 'stayed';
  /** The last refusal of its sleep. */
  readonly refusal: string | null;
  /** What the wake reported of its restore; null when it stayed. */
  readonly restore: { readonly status: string; readonly missing: readonly unknown[] } | null;
  /** The states before and after are equal, byte by byte. */
  readonly isEqual: boolean;
  readonly wasOnAnotherNode: boolean;
  readonly sleepMs: number;
  readonly wakeMs: number;
  /** Names the states in the folder of the run. */
  readonly detail: string;
}

export interface SleepHistory {
  readonly cycles: SleepCycle[];
  /** Ids in the text of the prompts that were accepted. */
  readonly accepted: string[];
  readonly broken: { readonly rule: string; readonly detail: string }[];
}

export const emptySleepHistory = (): SleepHistory => ({ cycles: [], accepted: [], broken: [] });

export interface SleepViolation {
  readonly rule:
    | 'work_lost'
    | 'prompt_lost'
    | 'prompt_twice'
    | 'loss_without_name'
    | 'stuck'
    | 'without_snapshot';
  readonly detail: string;
}

/**
 * A state that differs must have been reported as degraded, with what is missing, and each accepted
 * prompt must have reached its agent once.
 */
export function checkSleep(
  { cycles, accepted, broken }: SleepHistory,
  invocations: readonly string[],
): readonly SleepViolation[] {
  const times = Map.groupBy(invocations, (id) => id);
  return [
    ...broken.map(({ rule, detail }) => ({ rule: rule as SleepViolation['rule'], detail })),
    ...cycles
      .filter(({ isEqual, restore }) => !isEqual && restore?.status !== 'degraded')
      .map((cycle) => ({ rule: 'work_lost' as const, detail: JSON.stringify(cycle) })),
    ...cycles
      .filter(({ restore }) => restore?.status === 'degraded' && restore.missing.length === 0)
      .map((cycle) => ({ rule: 'loss_without_name' as const, detail: JSON.stringify(cycle) })),
    ...accepted.flatMap((id): SleepViolation[] => {
      const count = times.get(id)?.length ?? 0;
      if (count === 1) return [];
      return [{ rule: count === 0 ? 'prompt_lost' : 'prompt_twice', detail: `${id}: ${count}` }];
    }),
  ];
}
