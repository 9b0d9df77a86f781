import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

export interface CallCount {
  /** Names of the commands sent since the last `reset`, in order. */
  readonly names: readonly string[];
  reset(): void;
}

/** Counts what a client sends to the table; a transaction or a batch is one call, a retry of the SDK none. */
export function countCalls(client: DynamoDBDocumentClient): CallCount {
  let names: string[] = [];
  client.middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        names.push(commandName ?? 'unknown');
        return next(args);
      },
    { step: 'initialize', name: `countCalls-${Math.random()}` },
  );
  return {
    get names() {
      return names;
    },
    reset: () => {
      names = [];
    },
  };
}

/** The budget of design 4: two calls to answer a GET, four for a change, the session included. */
export const callBudget = { GET: 2, POST: 4, PUT: 4, PATCH: 4, DELETE: 4 } as const;
