import type { Entry } from './transcript.js';

/** A message to the agent, and all that followed it. */
export interface Turn {
  readonly key: number;
  readonly entries: readonly Entry[];
  readonly isFinished: boolean;
}

/** What is shown in one place: one entry, or the steps of a finished turn, folded. */
export type Block =
  | { readonly kind: 'entry'; readonly entry: Entry }
  | { readonly kind: 'steps'; readonly key: number; readonly entries: readonly Entry[]; readonly ms: number };

/** Plans are left out: the newest is shown above the conversation. */
export function turnsOf(entries: readonly Entry[], isWorking: boolean): readonly Turn[] {
  const turns: Entry[][] = [];
  for (const entry of entries) {
    if (entry.message.role === 'plan') continue;
    if (entry.message.role === 'user' || turns.length === 0) turns.push([entry]);
    else turns.at(-1)?.push(entry);
  }
  const running = isWorking ? runningFrom(turns) : turns.length;
  return turns.map((each, place) => ({
    key: each[0]?.key ?? 0,
    entries: each,
    isFinished: place < running,
  }));
}

/** A message that waits has not begun a turn. */
function runningFrom(turns: readonly Entry[][]): number {
  const begun = turns.findLastIndex(([first]) => first?.message.delivery?.state !== 'queued');
  return Math.max(0, begun);
}

const isStep = ({ message: { role } }: Entry): boolean => role === 'tool' || role === 'thinking';

/** The steps of a finished turn are one block, at the place of the first. */
export function blocksOf({ entries, isFinished }: Turn): readonly Block[] {
  const steps = entries.filter(isStep);
  const [firstStep] = steps;
  if (!isFinished || !firstStep || steps.length < 2)
    return entries.map((entry) => ({ kind: 'entry', entry }));
  const folded: Block = { kind: 'steps', key: firstStep.key, entries: steps, ms: durationOf(entries) };
  return entries
    .filter((entry) => entry === firstStep || !isStep(entry))
    .map((entry) => (entry === firstStep ? folded : { kind: 'entry', entry }));
}

function durationOf(entries: readonly Entry[]): number {
  const times = entries.map(({ message }) => Date.parse(message.createdAt));
  return Math.max(...times) - Math.min(...times);
}

/** `12 tool calls, 34 s`. */
export function stepWords(entries: readonly Entry[], ms: number): string {
  const calls = entries.filter(({ message }) => message.role === 'tool');
  const failed = calls.filter(({ message }) => message.toolMetadata?.status === 'failed').length;
  const seconds = Math.round(ms / 1_000);
  const time = seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
  const count = calls.length === 1 ? '1 tool call' : `${calls.length} tool calls`;
  return `${calls.length === 0 ? 'Thoughts' : count}${failed > 0 ? `, ${failed} failed` : ''}, ${time}`;
}

/** Whether two lists show the same. */
export const isSame = (one: readonly Entry[], other: readonly Entry[]): boolean =>
  one.length === other.length &&
  one.every((entry, place) => {
    const before = other[place];
    return entry.key === before?.key && entry.message === before.message && entry.content === before.content;
  });
