import { DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { EventBatch } from '../../../../lambdas/domain/event-subscriptions/event-batch.js';
import { EventMatch } from '../../../../lambdas/domain/event-subscriptions/event-match.js';
import { EventSubscription } from '../../../../lambdas/domain/event-subscriptions/event-subscription.js';
import { Aws } from '../../../../local/aws.js';
import type { AcpHarness } from '../../../support/acp-harness/acp-harness.js';
import type { TestCloud } from '../../../support/cloud.js';
import { startHarnessCloud } from '../../../support/harness-cloud.js';
import { Person } from '../../../support/person.js';
import { until } from '../../../support/until.js';
import { ask } from '../../ask.js';
import { CloudWakeUps } from '../cloud-wake-ups.js';
import { invokeFunction } from '../invoke-function.js';
import type { ChannelHistory } from './channel-history.js';
import { FunctionFaults } from './function-faults.js';
import { StreamTap } from './stream-tap.js';

/** With it, agents meet the limit of publications and calls, and the run is not only a wait. */
export const limitFactor = 4;

/** The agent of a task, with the token that its coding agent was given. */
export interface TaskAgent {
  readonly chatId: string;
  readonly url: string;
  readonly authorization: string;
}

const SessionParams = z.object({
  mcpServers: z.tuple([z.object({ headers: z.tuple([z.object({ value: z.string() })]) })]),
});

interface Parts {
  readonly started: TestCloud;
  readonly harness: AcpHarness;
  readonly aws: Aws;
  readonly faults: FunctionFaults;
  readonly stream: StreamTap;
  readonly wakeUps: CloudWakeUps;
  readonly agents: readonly TaskAgent[];
}

/** A laptop cloud with tasks of one project, whose coding agents have ended their first turn. */
export class ChannelTarget implements AsyncDisposable {
  private constructor(
    private readonly parts: Parts,
    private readonly stack: AsyncDisposableStack,
  ) {}

  static async start({
    agents: count,
    cooldownMs,
    isBuilt,
  }: {
    agents: number;
    cooldownMs: number;
    isBuilt: boolean;
  }): Promise<ChannelTarget> {
    await using stack = new AsyncDisposableStack();
    const channelLimits = JSON.stringify({ wakeCooldownMs: cooldownMs });
    const context = { limitFactor: String(limitFactor), nodeCapacity: '10', channelLimits };
    const { folder, harness, started } = stack.use(await startHarnessCloud({ context, isBuilt }));
    const { cloud } = started;
    const aws = stack.use(new Aws(cloud));
    const wakeUps = stack.use(new CloudWakeUps(cloud));
    const person = await Person.signIn(started.url, 'octo');
    const agents = await startAgents(person, harness, count);
    const faults = await FunctionFaults.install(cloud, folder);
    const stream = stack.use(await StreamTap.start(cloud));
    return new ChannelTarget({ started, harness, aws, faults, stream, wakeUps, agents }, stack.move());
  }

  get agents(): readonly TaskAgent[] {
    return this.parts.agents;
  }

  get faults(): FunctionFaults {
    return this.parts.faults;
  }

  get stream(): StreamTap {
    return this.parts.stream;
  }

  get wakeUps(): CloudWakeUps {
    return this.parts.wakeUps;
  }

  /** As its schedule does each minute; it may be killed by a fault. */
  async sweep(): Promise<void> {
    await invokeFunction(this.parts.started.cloud, 'sweeps/resend-wake-ups', {}).catch(() => undefined);
  }

  /** The texts of all prompts that coding agents received. */
  invocations(): readonly string[] {
    return this.parts.harness.journal('prompt').map(({ text = '' }) => text);
  }

  /** True when no match waits for a wake, and no wake for its delivery. */
  async isSettled(): Promise<boolean> {
    const subscriptions = await this.scan('event-subscription');
    if (subscriptions.some((item) => EventSubscription.parse(item).wakeDueAt !== null)) return false;
    const batches = await this.scan('event-batch');
    return batches.every((item) => EventBatch.parse(item).state !== 'pending');
  }

  /** Reads the records of matches and wakes. */
  async read(history: ChannelHistory): Promise<void> {
    history.matches = (await this.scan('event-match')).map((item) => EventMatch.parse(item));
    history.batches = (await this.scan('event-batch')).map((item) => {
      const { createdAt, ...batch } = EventBatch.parse(item);
      return { ...batch, createdAt: Date.parse(createdAt) };
    });
    const Wake = z.object({
      deliveryId: z.string(),
      chatId: z.string(),
      metadata: z.object({ eventIds: z.array(z.string()) }),
    });
    const prompts = (await this.scan('prompt')).filter(
      ({ sourceKind }) => sourceKind === 'project_event_wake',
    );
    history.prompts = prompts.map((item) => {
      const { deliveryId, chatId, metadata } = Wake.parse(item);
      return { deliveryId, chatId, eventIds: metadata.eventIds };
    });
    history.invocations = this.invocations();
    history.writeFaults = this.parts.faults.happened();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stack.disposeAsync();
  }

  private async scan(entity: string): Promise<readonly Record<string, unknown>[]> {
    const { aws, started } = this.parts;
    const documents = DynamoDBDocumentClient.from(aws.dynamo);
    const items: Record<string, unknown>[] = [];
    let ExclusiveStartKey: Record<string, unknown> | undefined;
    do {
      const page = await documents.send(
        new ScanCommand({
          TableName: started.cloud.outputs.TableName,
          FilterExpression: '#entity = :entity',
          ExpressionAttributeNames: { '#entity': 'entity' },
          ExpressionAttributeValues: { ':entity': entity },
          ConsistentRead: true,
          ExclusiveStartKey,
        }),
      );
      items.push(...(page.Items ?? []));
      ExclusiveStartKey = page.LastEvaluatedKey;
    } while (ExclusiveStartKey);
    return items;
  }
}

async function startAgents(
  person: Person,
  harness: AcpHarness,
  count: number,
): Promise<readonly TaskAgent[]> {
  const key = { provider: 'anthropic', credentialType: 'agent-api-key', token: 'sk-ant-nemesis-0000000000' };
  await ask(person, '/api/credentials', key);
  const repository = { installationId: '5001', repository: 'octo/hello' };
  const project = await ask(person, '/api/projects', { name: 'Nemesis', ...repository });
  const settings = { json: { maxConcurrentTasks: count } };
  const changed = await person.request('PATCH', `/api/projects/${project.id}`, settings);
  if (changed.status !== 200) throw new Error(`The limit of tasks was not changed: ${changed.text}`);
  const tasks = `/api/projects/${project.id}/tasks`;
  const numbers = Array.from({ length: count }, (_, index) => index);
  return Promise.all(
    numbers.map(async (number) => {
      const message = `Agent number ${number};\n[[say ready]]`;
      const { taskId, sessionId } = await ask(person, `${tasks}/submit`, { message });
      await until(
        `agent ${number} rests`,
        async () => {
          const { body } = await person.get(`${tasks}/${taskId}`);
          if (body.status === 'failed') throw new Error(`The task failed: ${body.errorMessage}`);
          return body.executionStep === 'awaiting_followup' || undefined;
        },
        300_000,
      );
      const authorization = tokenOf(harness, `Agent number ${number};`);
      return { chatId: String(sessionId), url: `${person.url}/mcp`, authorization };
    }),
  );
}

/** The Authorization header of the session that was prompted with these words. */
function tokenOf(harness: AcpHarness, words: string): string {
  const prompt = harness.journal('prompt').find(({ text }) => text?.includes(words));
  const opened = harness.journal('new').find(({ sessionId }) => sessionId === prompt?.sessionId);
  const [server] = SessionParams.parse(opened?.data).mcpServers;
  return server.headers[0].value;
}
