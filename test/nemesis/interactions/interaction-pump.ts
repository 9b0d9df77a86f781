import { setTimeout as wait } from 'node:timers/promises';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { followChange } from '../../../lambdas/domain/inbox/follow-change.js';
import { dueSk, Interaction, interactionKey } from '../../../lambdas/domain/interactions/interaction.js';
import { sweepInteractions } from '../../../lambdas/domain/interactions/sweep-interactions.js';
import { changeItem } from '../../../lambdas/domain/records/change-item.js';
import type { Random } from '../agent/random.js';
import { countFault, type InteractionHistory } from './interaction-history.js';
import type { InteractionPlane } from './interaction-plane.js';
import { TableStream } from './table-stream.js';

const sweepEveryMs = 1_000;
const hourMs = 61 * 60_000;

/** Does what queue, stream and schedule do in a deployment. Some wake-ups are lost. */
export class InteractionPump implements AsyncDisposable {
  private isRunning = true;
  private running = Promise.resolve();
  losesWakeUps = true;

  private constructor(
    private readonly plane: InteractionPlane,
    private readonly history: InteractionHistory,
    private readonly random: Random,
    private readonly stream: TableStream,
  ) {}

  static async start(
    plane: InteractionPlane,
    history: InteractionHistory,
    random: Random,
  ): Promise<InteractionPump> {
    const pump = new InteractionPump(plane, history, random, await TableStream.open(plane.table.name));
    pump.running = pump.run();
    return pump;
  }

  /** All interactions of the table. */
  async interactions(): Promise<readonly Interaction[]> {
    const { client, name: TableName } = this.plane.table;
    const found: Interaction[] = [];
    let ExclusiveStartKey: Record<string, unknown> | undefined;
    do {
      const page = await client.send(
        new ScanCommand({
          TableName,
          ExclusiveStartKey,
          ConsistentRead: true,
          FilterExpression: 'entity = :entity',
          ExpressionAttributeValues: { ':entity': 'interaction' },
        }),
      );
      for (const item of page.Items ?? []) found.push(Interaction.parse(item));
      ExclusiveStartKey = page.LastEvaluatedKey;
    } while (ExclusiveStartKey);
    return found;
  }

  /** Attempts that would begin in seconds or minutes are due. */
  async hurryDeliveries(): Promise<void> {
    const now = new Date().toISOString();
    for (const { chatId, interactionId, nextAttemptAt = '' } of await this.interactions()) {
      if (nextAttemptAt <= now) continue;
      const set = { nextAttemptAt: now, parentSk: dueSk(now, interactionId) };
      // Not when it has ended by now: its content would be deleted at once.
      const when = { equals: { state: 'answered' } };
      await changeItem(this.plane.table, { key: interactionKey(chatId, interactionId), set, when });
    }
  }

  /** Does the work of the sweeps of the next hour, after which contents are deleted. */
  async passAnHour(): Promise<void> {
    const rows = (await this.interactions()).length;
    const later = new Date(Date.now() + hourMs);
    for (let swept = 0; swept <= rows; swept += 50) await sweepInteractions(this.plane.table, later);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.isRunning = false;
    await this.running;
  }

  /** None waits for another, as in a deployment. */
  private async run(): Promise<void> {
    const repeat = async (pauseMs: number, work: () => Promise<void>) => {
      while (this.isRunning) {
        await work();
        await wait(pauseMs);
      }
    };
    await Promise.all([
      repeat(50, async () => {
        await Promise.all((await this.plane.dueWakeUps()).map((wakeUp) => this.deliver(wakeUp)));
      }),
      repeat(sweepEveryMs, () => this.sweep()),
      repeat(50, () => this.follow()),
    ]);
  }

  private async deliver(wakeUp: Parameters<InteractionPlane['work']>[0]): Promise<void> {
    if (this.losesWakeUps && this.random.chance(0.05)) countFault(this.history, 'lostWakeUps');
    else await this.plane.work(wakeUp);
  }

  private async sweep(): Promise<void> {
    for (const { chatId, interactionId } of await sweepInteractions(this.plane.table, new Date()))
      await this.deliver({ chatId, interactionId });
  }

  /** The changes of a partition in their order, those of others at the same time. */
  private async follow(): Promise<void> {
    const partitions = Map.groupBy(await this.stream.next(), ({ before, after }) => (after ?? before)?.pk);
    await Promise.all(
      [...partitions.values()].map(async (changes) => {
        for (const { before, after } of changes) {
          await followChange(this.plane.table, before, after);
          if (!before && after?.entity === 'inbox-item') this.history.inboxItems.add(String(after.itemId));
        }
      }),
    );
  }
}
