import type { DynamoDBDocumentClient, QueryCommandOutput } from '@aws-sdk/lib-dynamodb';

export interface ReadCount {
  /**
   * Items that queries have looked at since the last `reset`, also those that a filter left out:
   * what DynamoDB charges for.
   */
  readonly items: number;
  reset(): void;
}

export function countReads(client: DynamoDBDocumentClient): ReadCount {
  let items = 0;
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const result = await next(args);
        // The name says which command's output it is.
        if (commandName === 'QueryCommand') items += (result.output as QueryCommandOutput).ScannedCount ?? 0;
        return result;
      },
    { step: 'initialize', name: `countReads-${Math.random()}` },
  );
  return {
    get items() {
      return items;
    },
    reset: () => {
      items = 0;
    },
  };
}
