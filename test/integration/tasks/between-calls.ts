import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** Runs an action before the n-th table call, as a concurrent function would. */
export class BetweenCalls {
  private left = 0;
  private happens: (() => Promise<void>) | undefined;

  constructor(client: DynamoDBDocumentClient) {
    client.middlewareStack.add(
      (next) => async (args) => {
        await this.count();
        return next(args);
      },
      { step: 'initialize', name: 'between-calls' },
    );
  }

  /** Counted from 1, from now on. */
  before(call: number, happens: () => Promise<void>): void {
    this.left = call;
    this.happens = happens;
  }

  /** @returns whether it has happened; if not, it does not any more */
  end(): boolean {
    const hasHappened = this.happens === undefined;
    this.happens = undefined;
    return hasHappened;
  }

  private async count(): Promise<void> {
    if (!this.happens) return;
    this.left -= 1;
    if (this.left > 0) return;
    const { happens } = this;
    this.happens = undefined;
    await happens();
  }
}
