import { setTimeout as wait } from 'node:timers/promises';
import { ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { followChange } from '../../../lambdas/domain/inbox/follow-change.js';
import { dueSk, Interaction, interactionKey } from '../../../lambdas/domain/interactions/interaction.js';
import { sweepInteractions } from '../../../lambdas/domain/interactions/sweep-interactions.js';
import type { Random } from '../agent/random.js';
import { countFault, type InteractionHistory } from './interaction-history.js';
import type { InteractionPlane } from './interaction-plane.js';
import { TableStream } from './table-stream.js';

const sweepEveryMs = 1_000;
const hourMs = 61 * 60_000;

/** Does what queue, stream and schedule do in a deployment. Some wake-ups are lost. */
export class InteractionPump implements AsyncDisposable {
  private isRunning = true;
  private sweptAt = 0;
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
    const { client, name: TableName } = this.plane.table;
    const now = new Date().toISOString();
    for (const { chatId, interactionId, state, nextAttemptAt = '' } of await this.interactions())
      if (state === 'answered' && nextAttemptAt > now)
        await client.send(
          new UpdateCommand({
            TableName,
            Key: interactionKey(chatId, interactionId),
            UpdateExpression: 'SET nextAttemptAt = :now, parentSk = :due',
            ExpressionAttributeValues: { ':now': now, ':due': dueSk(now, interactionId) },
          }),
        );
  }

  /** What the sweeps of the next hour do, after which contents are deleted. */
  async passAnHour(): Promise<void> {
    const rows = (await this.interactions()).length;
    const later = new Date(Date.now() + hourMs);
    for (let swept = 0; swept <= rows; swept += 50) await sweepInteractions(this.plane.table, later);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.isRunning = false;
    await this.running;
  }

  private async run(): Promise<void> {
    while (this.isRunning) {
      for (const wakeUp of await this.plane.dueWakeUps()) await this.deliver(wakeUp);
      if (Date.now() - this.sweptAt > sweepEveryMs) await this.sweep();
      await this.follow();
      await wait(50);
    }
    await this.follow();
  }

  private async deliver(wakeUp: Parameters<InteractionPlane['work']>[0]): Promise<void> {
    if (this.losesWakeUps && this.random.chance(0.05)) countFault(this.history, 'lostWakeUps');
    else await this.plane.work(wakeUp);
  }

  private async sweep(): Promise<void> {
    this.sweptAt = Date.now();
    for (const { chatId, interactionId } of await sweepInteractions(this.plane.table, new Date()))
      await this.deliver({ chatId, interactionId });
  }

  private async follow(): Promise<void> {
    for (const { before, after } of await this.stream.next()) {
      await followChange(this.plane.table, before, after);
      if (!before && after?.entity === 'inbox-item') this.history.inboxItems.add(String(after.itemId));
    }
  }
}
