import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

export interface CallCount {
  /** Names of the commands sent since the last `reset`, in order. */
  readonly names: readonly string[];
  /** Those of the route's limit: one that counts, and one that gives a slot back. */
  readonly limits: readonly string[];
  reset(): void;
}

/**
 * Counts what a client sends to the table; a transaction or a batch is one call, a retry of the SDK
 * none.
 */
export function countCalls(client: DynamoDBDocumentClient): CallCount {
  let names: string[] = [];
  let limits: string[] = [];
  client.middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        if (isOfLimit(args.input)) limits.push(commandName ?? 'unknown');
        else names.push(commandName ?? 'unknown');
        return next(args);
      },
    { step: 'initialize', name: `countCalls-${Math.random()}` },
  );
  return {
    get names() {
      return names;
    },
    get limits() {
      return limits;
    },
    reset: () => {
      names = [];
      limits = [];
    },
  };
}

/** The budget of agents' tools contains their count, which is no matter of the edge. */
const isOfLimit = (input: unknown): boolean =>
  /"RATE#(?!MCP#|GIT_TOKEN#)/.test(JSON.stringify((input as { Key?: unknown } | undefined)?.Key) ?? '');

/**
 * The budget of design 4: two calls to answer a GET, four for a change, the session included. The
 * limit of a route is not in it: it costs one call more, and a second one where it has slots
 * (decision 23; test/adversary/abuse/budgets.test.ts).
 */
export const callBudget = { GET: 2, POST: 4, PUT: 4, PATCH: 4, DELETE: 4 } as const;

/** Routes with one call more, for the reasons in docs/table.md. */
const withOneMore: ReadonlySet<string> = new Set([
  'chats/stop',
  'projects/credential-limits',
  'terminal/token',
  'terminal/preview-token',
  'workspaces/get',
  'agent-sessions/list',
  'agent-sessions/create',
]);

/** A list reads followers, the records that it returns, and up to three MB of ended ones. */
const withMore: Readonly<Record<string, number>> = {
  'event-subscriptions/list': 5,
  'event-subscriptions/deliveries': 1,
};

export const callBudgetOf = (file: string, method: keyof typeof callBudget): number =>
  callBudget[method] + (withMore[file] ?? (withOneMore.has(file) ? 1 : 0));
