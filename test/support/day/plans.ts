import type { RandomInt } from './random.js';

/** The sweep runs so often. */
export const passMinutes = 5;
const sleepMinutes = 15;

export interface Owner {
  readonly userId: string;
  readonly projectId: string;
  readonly idleMinutes: number;
  readonly warmMinutes: number;
}

/** What one workspace is used for, in minutes since the beginning of the day. */
export interface Plan {
  readonly kind: 'conversation' | 'task' | 'terminal';
  readonly owner: Owner;
  readonly workspaceId: string;
  readonly chatId: string;
  readonly agentSessionId: string;
  /** Each use, in order: a message, a report of a working agent, or input of a terminal. */
  readonly usedAt: readonly number[];
}

/** From when to when the idle rules keep a workspace on a node. */
export interface Stay {
  readonly from: number;
  readonly to: number;
}

type Uses = Pick<Plan, 'kind' | 'usedAt'>;

/** How long the rules keep it after a use. A completed task is stopped at once. */
function restMinutes({ kind, owner }: Plan): number {
  if (kind === 'terminal') return owner.idleMinutes;
  return kind === 'conversation' ? sleepMinutes : passMinutes;
}

export function staysOf(plan: Plan): readonly Stay[] {
  const rest = restMinutes(plan);
  const stays: Stay[] = [];
  for (const use of plan.usedAt) {
    const last = stays.at(-1);
    if (last && use <= last.to) stays[stays.length - 1] = { from: last.from, to: use + rest };
    else stays.push({ from: use, to: use + rest });
  }
  if (plan.kind !== 'task') return stays;
  return stays.map(({ from, to }) => ({ from, to: to - rest }));
}

/** Of ten workspaces four pause, two are tasks, three have terminals, one is not used again. */
export function usesOf(index: number, idleMinutes: number, next: RandomInt): Uses {
  const start = next(9 * 60);
  const kind = index % 10;
  if (kind < 4) return { kind: 'conversation', usedAt: conversation(start, next) };
  if (kind < 6) return { kind: 'task', usedAt: task(start, next) };
  if (kind < 9) return { kind: 'terminal', usedAt: terminal(start, idleMinutes, next) };
  return { kind: 'conversation', usedAt: [start] };
}

/** One to three blocks of messages, with pauses of 30 minutes to 3 hours. */
function conversation(start: number, next: RandomInt): readonly number[] {
  const usedAt = [start];
  let at = start;
  for (let block = next(3); block >= 0; block -= 1) {
    for (let left = 3 + next(12); left > 0; left -= 1) {
      at += 2 + next(9);
      usedAt.push(at);
    }
    at += 30 + next(150);
    if (block > 0) usedAt.push(at);
  }
  return usedAt;
}

/** An agent works for 20 minutes to 3 hours; a report comes before each sweep. */
function task(start: number, next: RandomInt): readonly number[] {
  const reports = 4 + next(32);
  return Array.from({ length: reports + 1 }, (_, index) => start + index * passMinutes);
}

/** Used at least once in half of the idle time, so that it never rests, then forgotten. */
function terminal(start: number, idleMinutes: number, next: RandomInt): readonly number[] {
  const usedAt = [start];
  for (let left = next(8); left > 0; left -= 1)
    usedAt.push((usedAt.at(-1) ?? start) + 1 + next(idleMinutes / 2));
  return usedAt;
}
