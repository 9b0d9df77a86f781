import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GetItemCommand, paginateScan } from '@aws-sdk/client-dynamodb';
import { Aws } from '../../../local/aws.js';
import type { AcpHarness } from '../../support/acp-harness/acp-harness.js';
import type { TestCloud } from '../../support/cloud.js';
import { contextOfMany, startHarnessCloud } from '../../support/harness-cloud.js';
import { Person } from '../../support/person.js';
import { until } from '../../support/until.js';
import { ask } from '../ask.js';
import { processesWith } from '../processes.js';
import { stateScript } from './random-work.js';

const skewedClock = new URL('skewed-clock.mjs', import.meta.url).href;

/** One chat in a workspace of its own. */
export interface SleepingChat {
  readonly number: number;
  readonly workspaceId: string;
  readonly sessionId: string;
}

/** A laptop cloud with chats of one person, whose coding agent keeps its sessions in its home. */
export class SleepTarget implements AsyncDisposable {
  private constructor(
    private readonly started: TestCloud,
    private readonly harness: AcpHarness,
    readonly folder: string,
    readonly person: Person,
    readonly projectId: string,
    private readonly stack: AsyncDisposableStack,
  ) {}

  static async start({ isBuilt }: { readonly isBuilt: boolean }): Promise<SleepTarget> {
    await using stack = new AsyncDisposableStack();
    const { folder, harness, started } = stack.use(
      await startHarnessCloud({
        context: contextOfMany,
        isBuilt,
        sessionsFolder: '~/.claude/sessions',
        nodeEnv: {
          ACP_MAX_RESTART_ATTEMPTS: '1000',
          NODE_OPTIONS: `--max-semi-space-size=2 --import ${skewedClock}`,
        },
      }),
    );
    writeFileSync(join(folder, 'state.sh'), stateScript);
    mkdirSync(join(folder, 'states'));
    const person = await Person.signIn(started.url, 'octo');
    const token = 'sk-ant-nemesis-0000000000';
    await ask(person, '/api/credentials', { provider: 'anthropic', credentialType: 'agent-api-key', token });
    const repository = { installationId: '5001', repository: 'octo/hello' };
    const project = await ask(person, '/api/projects', { name: 'Sleep', ...repository });
    return new SleepTarget(started, harness, folder, person, String(project.id), stack.move());
  }

  get cloud(): TestCloud['cloud'] {
    return this.started.cloud;
  }

  async openChat(number: number): Promise<SleepingChat> {
    const { id } = await ask(this.person, '/api/workspaces', {
      projectId: this.projectId,
      // The loss of its node ends no other chat.
      resourceRequirements: { exclusiveNode: true },
    });
    const workspaceId = String(id);
    await this.untilStatus(workspaceId, ['running']);
    const session = await ask(this.person, `/api/workspaces/${workspaceId}/agent-sessions`, {
      agentType: 'claude-code',
    });
    return { number, workspaceId, sessionId: String(session.chatSessionId) };
  }

  async workspace(workspaceId: string) {
    return (await this.person.get(`/api/workspaces/${workspaceId}`)).body;
  }

  /** What the person sees of nodes and workspaces. */
  async situation() {
    const [nodes, workspaces] = await Promise.all([
      this.person.get('/api/nodes'),
      this.person.get('/api/workspaces'),
    ]);
    return {
      nodes: nodes.body.nodes.map(({ id, status }: Record<string, string>) => `${id} ${status}`),
      workspaces: workspaces.body.workspaces.map(
        ({ id, status, nodeId, admissionReason, errorMessage }: Record<string, string>) =>
          `${id} ${status} ${nodeId} ${admissionReason ?? ''} ${errorMessage ?? ''}`,
      ),
    };
  }

  untilStatus(workspaceId: string, statuses: readonly string[], withinMs = 240_000) {
    return until(
      `workspace ${workspaceId} is ${statuses.join(' or ')}`,
      async () => {
        const found = await this.workspace(workspaceId);
        if (statuses.includes(found.status)) return found;
        throw new Error(JSON.stringify(found));
      },
      withinMs,
    );
  }

  /** The stored row, for what no API shows. */
  async item(pk: string, sk: string) {
    using aws = new Aws(this.cloud);
    const Key = { pk: { S: pk }, sk: { S: sk } };
    const { Item } = await aws.dynamo.send(
      new GetItemCommand({ TableName: this.cloud.outputs.TableName, Key, ConsistentRead: true }),
    );
    return Item;
  }

  /** Logs and rows, as they are when something does not end. */
  async keepEvidence(folder: string): Promise<void> {
    rmSync(folder, { recursive: true, force: true });
    cpSync(join(this.started.stateDir, 'logs'), join(folder, 'logs'), { recursive: true });
    using aws = new Aws(this.cloud);
    const { TableName } = this.cloud.outputs;
    const rows: object[] = [];
    for await (const { Items = [] } of paginateScan({ client: aws.dynamo }, { TableName }))
      rows.push(...Items);
    writeFileSync(join(folder, 'rows.json'), JSON.stringify(rows, null, 1));
  }

  agentPid(nodeId: string): number | undefined {
    return this.cloud.ledger.running(`agent-${nodeId}`)?.pid;
  }

  /** The processes in which the emulator runs a function. */
  functionPids(name: string): Promise<number[]> {
    return processesWith('environ', [`POWERTOOLS_SERVICE_NAME=${name}`, `PUBLIC_URL=${this.started.url}`]);
  }

  /** Ids in the prompts that agents received, in order. */
  invocations(): readonly string[] {
    return this.harness
      .journal('prompt')
      .flatMap(({ text }) => /prompt=([\w-]+)/.exec(text ?? '')?.[1] ?? []);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stack.disposeAsync();
  }
}
