import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  DeleteMessageCommand,
  ListQueuesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { ulid } from 'ulid';
import { AcpHarness } from '../../support/acp-harness/acp-harness.js';
import { startCloud, type TestCloud } from '../../support/cloud.js';
import { Person } from '../../support/person.js';
import { until } from '../../support/until.js';
import type { Invocation } from '../agent/history.js';
import { processesWith } from '../processes.js';

/** The most agent sessions of a workspace. */
const sessionsOfWorkspace = 10;

/** A whole laptop cloud with chats of one project, each with a real coding agent that writes down what it is asked. */
export class CloudTarget implements AsyncDisposable {
  projectId = '';
  readonly sessionIds: string[] = [];
  private readonly nodeIds = new Set<string>();

  private readonly sqs: SQSClient;

  private constructor(
    private readonly started: TestCloud,
    readonly person: Person,
    private readonly harness: AcpHarness,
    private readonly folder: string,
  ) {
    this.sqs = new SQSClient({
      endpoint: started.cloud.endpoint,
      region: 'us-east-1',
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    });
  }

  static async start({ chats, isBuilt }: { chats: number; isBuilt: boolean }): Promise<CloudTarget> {
    const folder = mkdtempSync(join(tmpdir(), 'berth-nemesis-'));
    const harness = await AcpHarness.make(folder);
    const started = await startCloud({
      docker: false,
      isBuilt,
      nodeEnv: {
        ACP_COMMAND_OVERRIDES: JSON.stringify({ 'claude-code': harness.command }),
        // The nemesis crashes more often than anything that should be given up.
        ACP_MAX_RESTART_ATTEMPTS: '1000',
      },
    });
    const person = await Person.signIn(started.url, 'octo');
    const target = new CloudTarget(started, person, harness, folder);
    await target.prepare(chats);
    return target;
  }

  /** Of the node's agent at this moment; none while it is being started again. */
  agentPid(): number | undefined {
    const [nodeId] = this.nodeIds;
    return this.started.cloud.ledger.running(`agent-${nodeId}`)?.pid;
  }

  harnessPids(): Promise<number[]> {
    return processesWith('cmdline', [this.harness.command[2] ?? '']);
  }

  /** The processes in which the emulator runs the function that delivers. */
  workerPids(): Promise<number[]> {
    return processesWith('environ', [
      'POWERTOOLS_SERVICE_NAME=queues/deliver-prompts',
      `PUBLIC_URL=${this.started.url}`,
    ]);
  }

  /** A bell more than there should be, at once and out of order. */
  async ring(sessionId: string): Promise<void> {
    for (const QueueUrl of await this.queues()) {
      const isFifo = QueueUrl.endsWith('.fifo');
      await this.sqs.send(
        new SendMessageCommand({
          QueueUrl,
          MessageBody: JSON.stringify({ chatId: sessionId }),
          ...(isFifo ? { MessageGroupId: sessionId, MessageDeduplicationId: ulid() } : {}),
        }),
      );
    }
  }

  /** Takes a bell out of a queue before it is heard; false when none was there. */
  async loseBell(): Promise<boolean> {
    for (const QueueUrl of await this.queues()) {
      const { Messages = [] } = await this.sqs.send(new ReceiveMessageCommand({ QueueUrl }));
      for (const { ReceiptHandle } of Messages)
        await this.sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
      if (Messages.length > 0) return true;
    }
    return false;
  }

  invocations(): Invocation[] {
    return this.harness.journal('prompt').map(({ text = '', pid, at }) => ({ text, pid, at }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.sqs.destroy();
    await this.started[Symbol.asyncDispose]();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  private async queues(): Promise<readonly string[]> {
    const { QueueUrls = [] } = await this.sqs.send(new ListQueuesCommand({}));
    return QueueUrls.filter((url) => /Prompts/.test(url) && !/DeadLetters/.test(url));
  }

  private async prepare(chats: number): Promise<void> {
    const { person } = this;
    await this.ask('/api/credentials', {
      provider: 'anthropic',
      credentialType: 'agent-api-key',
      token: 'sk-ant-nemesis-0000000000',
    });
    const project = await this.ask('/api/projects', {
      name: 'Nemesis',
      installationId: '5001',
      repository: 'octo/hello',
    });
    this.projectId = String(project.id);
    for (let made = 0; made < chats; made += sessionsOfWorkspace) {
      const { id } = await this.ask('/api/workspaces', { projectId: this.projectId });
      const workspaceId = String(id);
      const workspace = await until(
        'a workspace runs',
        async () => {
          const { body } = await person.get(`/api/workspaces/${workspaceId}`);
          if (body.status === 'errored') throw new Error(`errored: ${body.errorMessage}`);
          return body.status === 'running' ? body : undefined;
        },
        180_000,
      );
      this.nodeIds.add(String(workspace.nodeId));
      for (let seat = made; seat < Math.min(chats, made + sessionsOfWorkspace); seat += 1) {
        const session = await this.ask(`/api/workspaces/${workspaceId}/agent-sessions`, {
          agentType: 'claude-code',
        });
        this.sessionIds.push(String(session.chatSessionId));
      }
    }
  }

  private async ask(path: string, body: object) {
    const answer = await this.person.post(path, body);
    if (answer.status >= 300) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
    return answer.body;
  }
}
