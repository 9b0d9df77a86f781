import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/**
 * Where a function dies: at its n-th write, counted from 1, before the table has it or right after.
 */
interface Death {
  readonly write: number;
  readonly when: 'before' | 'after';
}

/** Right before and right after each of these writes. */
export const deathsAt = (...writes: readonly number[]): readonly Death[] =>
  writes.flatMap((write) => (['before', 'after'] as const).map((when) => ({ write, when })));

export class Died extends Error {}

/**
 * Lets a table client die at a write, as the function around it would; `undefined` again lets it
 * live.
 */
export class DyingClient {
  private death: Death | undefined;
  private writes = 0;

  constructor(client: DynamoDBDocumentClient) {
    client.middlewareStack.add(
      (next, { commandName = '' }) =>
        async (args) => {
          if (!/Put|Update|Delete|Write/.test(commandName)) return next(args);
          this.writes += 1;
          const isLast = this.writes === this.death?.write;
          if (isLast && this.death?.when === 'before') throw new Died();
          const result = await next(args);
          if (isLast) throw new Died();
          return result;
        },
      { step: 'initialize', name: 'dying-client' },
    );
  }

  die(death: Death | undefined): void {
    this.death = death;
    this.writes = 0;
  }
}
