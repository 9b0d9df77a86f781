import type { AcpHarness } from '../../support/acp-harness/acp-harness.js';
import type { TestCloud } from '../../support/cloud.js';
import { type HarnessCloud, startHarnessCloud } from '../../support/harness-cloud.js';
import { Person } from '../../support/person.js';
import { expectOk, soon } from '../soon.js';

export interface SubmittedTask {
  readonly taskId: string;
  readonly askedAt: number;
  readonly acceptedAt: number;
}

/**
 * A laptop cloud with the settings of `npm start` and a project, whose agents are real processes
 * that do what their prompt asks.
 */
export class BenchCloud implements AsyncDisposable {
  projectId = '';

  private constructor(
    private readonly parts: HarnessCloud,
    readonly person: Person,
  ) {}

  get started(): TestCloud {
    return this.parts.started;
  }

  get harness(): AcpHarness {
    return this.parts.harness;
  }

  static async start(emulatorEnv: Readonly<Record<string, string>> = {}): Promise<BenchCloud> {
    const parts = await startHarnessCloud({
      // One person does what many do.
      context: { limitFactor: '1000' },
      sessionsFolder: '~/.claude/sessions',
      nodeEnv: { HEARTBEAT_INTERVAL: '60s' },
      waitScale: 1,
      emulatorEnv,
    });
    const bench = new BenchCloud(parts, await Person.signIn(parts.started.url, 'octo'));
    await bench.prepare();
    return bench;
  }

  get tasks(): string {
    return `/api/projects/${this.projectId}/tasks`;
  }

  /** Of the chat of a task. */
  session(taskId: string, rest: string): string {
    return `/api/projects/${this.projectId}/sessions/${taskId}${rest}`;
  }

  async submit(message: string, more: object = {}): Promise<SubmittedTask> {
    const askedAt = Date.now();
    const { taskId } = await expectOk(this.person.post(`${this.tasks}/submit`, { message, ...more }));
    return { taskId: String(taskId), askedAt, acceptedAt: Date.now() };
  }

  /** When the harness was asked what holds these words. */
  prompted(words: string): Promise<number> {
    return soon(`a prompt with ${words}`, () =>
      this.harness.journal('prompt').find(({ text }) => text?.includes(words)),
    ).then(({ at }) => at);
  }

  /** When the harness has ended the turn that it was given with these words. */
  async answered(words: string): Promise<void> {
    await this.prompted(words);
    await soon('the end of the turn', () => {
      const journal = this.harness.journal();
      const from = journal.findIndex(({ event, text }) => event === 'prompt' && text?.includes(words));
      return journal.slice(from).find(({ event }) => event === 'end');
    });
  }

  untilTask(taskId: string, what: string, look: (task: Record<string, unknown>) => boolean) {
    return soon(
      what,
      async () => {
        const task = await expectOk(this.person.get(`${this.tasks}/${taskId}`));
        if (task.status === 'failed') throw new Error(`The task failed: ${task.errorMessage}`);
        return look(task) ? task : undefined;
      },
      100,
    );
  }

  /** Its agent has ended its turn, and nothing waits for it. */
  async untilAtRest(taskId: string): Promise<void> {
    await this.untilTask(taskId, 'its agent rests', (task) => task.executionStep === 'awaiting_followup');
    await soon(
      'nothing waits for it',
      async () => {
        const { session } = await expectOk(this.person.get(this.session(taskId, '')));
        return session.isIdle && session.queuedPrompts === 0 ? true : undefined;
      },
      50,
    );
  }

  /** Waits until the resources of the task are removed. */
  async close(taskId: string): Promise<void> {
    await expectOk(this.person.post(`${this.tasks}/${taskId}/close`));
    await this.untilTask(taskId, 'its resources are removed', ({ finalizedAt }) => finalizedAt !== null);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.parts[Symbol.asyncDispose]();
  }

  private async prepare(): Promise<void> {
    const { person } = this;
    const credential = {
      provider: 'anthropic',
      credentialType: 'agent-api-key',
      token: 'sk-ant-bench-0000000000',
    };
    await expectOk(person.post('/api/credentials', credential));
    const repository = { installationId: '5001', repository: 'octo/hello' };
    const { id } = await expectOk(person.post('/api/projects', { name: 'Bench', ...repository }));
    this.projectId = String(id);
  }
}
