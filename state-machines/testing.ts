import { readFileSync } from 'node:fs';

/** What the tests look at in a definition. */
export interface State {
  readonly Type: string;
  readonly Resource?: string;
  readonly Arguments?: { readonly FunctionName: string; readonly Payload: Readonly<Record<string, unknown>> };
  readonly TimeoutSeconds?: number | string;
  readonly HeartbeatSeconds?: number | string;
  readonly Retry?: readonly {
    readonly ErrorEquals: readonly string[];
    readonly MaxAttempts: number;
    readonly IntervalSeconds: number;
    readonly BackoffRate?: number;
    readonly MaxDelaySeconds?: number;
  }[];
  readonly Catch?: readonly { readonly ErrorEquals: readonly string[]; readonly Next: string }[];
  readonly Choices?: readonly { readonly Condition: string; readonly Next: string }[];
  readonly Default?: string;
  readonly Next?: string;
}

export interface Definition {
  readonly QueryLanguage: string;
  readonly StartAt: string;
  readonly States: Readonly<Record<string, State>>;
}

export const load = (saga: string): Definition =>
  // Written by us, and Step Functions checks it when it is deployed.
  JSON.parse(readFileSync(new URL(`./${saga}/definition.asl.json`, import.meta.url), 'utf8')) as Definition;

export function stateOf({ States }: Definition, name: string): State {
  const state = States[name];
  if (!state) throw new Error(`There is no state ${name}`);
  return state;
}

/** Every state that may come right after this one. */
export const successorsOf = ({ Next, Default, Choices = [], Catch = [] }: State): readonly string[] =>
  [Next, Default, ...Choices.map((choice) => choice.Next), ...Catch.map((caught) => caught.Next)].filter(
    (name) => name !== undefined,
  );

export function reachableFrom(definition: Definition, start: string): ReadonlySet<string> {
  const seen = new Set<string>();
  const ahead = [start];
  for (let name = ahead.pop(); name !== undefined; name = ahead.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    ahead.push(...successorsOf(stateOf(definition, name)));
  }
  return seen;
}

/** Answers of the choices on the way, by the name of the state that is chosen. */
export type Choices = Readonly<Record<string, string>>;

/**
 * The tasks that run after this one has failed with all retries, given how the choices on the way
 * are answered; all of them succeed, or all of them fail too.
 */

// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one branch for each form of the input
export function tasksAfterFailureOf(
  definition: Definition,
  failed: string,
  { choices = {}, failing = false }: { readonly choices?: Choices; readonly failing?: boolean } = {},
): { readonly tasks: readonly string[]; readonly end: string } {
  const tasks: string[] = [];
  let name = caughtBy(stateOf(definition, failed));
  for (;;) {
    const state = stateOf(definition, name);
    if (state.Type === 'Task') tasks.push(name);
    const next =
      state.Type === 'Task' && failing ? caughtBy(state) : (choices[name] ?? state.Next ?? state.Default);
    if (next === undefined) return { tasks, end: name };
    name = next;
  }
}

function caughtBy({ Catch = [] }: State): string {
  const last = Catch.at(-1);
  if (!last?.ErrorEquals.includes('States.ALL')) throw new Error('The last catch must take everything');
  return last.Next;
}
