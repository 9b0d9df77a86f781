import type { AcpHarness } from '../../support/acp-harness/acp-harness.js';
import type { TestCloud } from '../../support/cloud.js';
import { contextOfMany, startHarnessCloud } from '../../support/harness-cloud.js';
import { Person } from '../../support/person.js';
import { until } from '../../support/until.js';
import { processesWith } from '../processes.js';
import { CallbackTap } from './callback-tap.js';
import type { CloudHistory, CloudInvocation } from './cloud-history.js';
import { type Company, type Lot, meet, type NemesisSession, openSessions } from './cloud-sessions.js';
import { CloudWakeUps } from './cloud-wake-ups.js';
import { giveUpNode } from './give-up-node.js';

interface CloudTargetOptions {
  readonly chats: number;
  readonly isBuilt: boolean;
  readonly history: CloudHistory;
}

interface Parts {
  readonly started: TestCloud;
  readonly harness: AcpHarness;
  readonly batches: CallbackTap;
  readonly wakeUps: CloudWakeUps;
  readonly company: Company;
  readonly sessions: readonly NemesisSession[];
}

/**
 * A whole laptop cloud with chats of one project, each with a real coding agent that writes down
 * what it is asked.
 */
export class CloudTarget implements AsyncDisposable {
  private constructor(
    private readonly parts: Parts,
    private readonly stack: AsyncDisposableStack,
  ) {}

  static async start({ chats, isBuilt, history }: CloudTargetOptions): Promise<CloudTarget> {
    await using stack = new AsyncDisposableStack();
    const { harness, started } = stack.use(
      await startHarnessCloud({
        context: contextOfMany,
        isBuilt,
        nodeEnv: {
          // The nemesis crashes more often than anything that should be given up.
          ACP_MAX_RESTART_ATTEMPTS: '1000',
        },
      }),
    );
    const batches = stack.use(new CallbackTap(started.url, history.repeats));
    const wakeUps = stack.use(new CloudWakeUps(started.cloud));
    const [host, guest] = [
      await Person.signIn(started.url, 'octo'),
      await Person.signIn(started.url, 'hubot'),
    ];
    const company = await meet(host, guest);
    const sessions = await openSessions(company, chats);
    return new CloudTarget({ started, harness, batches, wakeUps, company, sessions }, stack.move());
  }

  get company(): Company {
    return this.parts.company;
  }

  get sessions(): readonly NemesisSession[] {
    return this.parts.sessions;
  }

  get wakeUps(): CloudWakeUps {
    return this.parts.wakeUps;
  }

  get batches(): CallbackTap {
    return this.parts.batches;
  }

  get nodeIds(): readonly string[] {
    return [...new Set(this.sessions.map(({ nodeId }) => nodeId))];
  }

  sessionsOn(nodeId: string): readonly string[] {
    return this.sessions.filter((session) => session.nodeId === nodeId).map(({ sessionId }) => sessionId);
  }

  /** Of a node's agent at this moment; none while it is being started again. */
  agentPid(nodeId: string): number | undefined {
    return this.parts.started.cloud.ledger.running(`agent-${nodeId}`)?.pid;
  }

  harnessPids(): Promise<number[]> {
    return processesWith('cmdline', [this.parts.harness.command[2] ?? '']);
  }

  /** The processes in which the emulator runs a function. */
  functionPids(name: string): Promise<number[]> {
    return processesWith('environ', [
      `POWERTOOLS_SERVICE_NAME=${name}`,
      `PUBLIC_URL=${this.parts.started.url}`,
    ]);
  }

  /** Removes the machine of some chats. Returns when people see the loss. */
  async loseNode(): Promise<readonly string[]> {
    const [session] = this.withLot('loses_its_node');
    if (!session) throw new Error('No chat loses its node');
    await giveUpNode(this.parts.started.cloud, session.nodeId);
    await this.untilWorkspace(session, ['errored']);
    return this.sessionsOn(session.nodeId);
  }

  /** The host removes the guest; returns once nothing of theirs runs any more. */
  async removeGuest(): Promise<readonly string[]> {
    const { host, projectId, guestId } = this.company;
    await until('the guest is removed', async () => {
      const { status } = await host.delete(`/api/projects/${projectId}/members/${guestId}`);
      return status === 200 || undefined;
    });
    const sessions = this.withLot('is_cut');
    // Until the node has stopped it, an agent may begin what it had been given before.
    for (const session of sessions) await this.untilWorkspace(session, ['stopped']);
    return sessions.map(({ sessionId }) => sessionId);
  }

  invocations(): CloudInvocation[] {
    const ends = new Map(
      this.parts.harness.journal('end').map(({ text, pid, at }) => [`${pid} ${text}`, at] as const),
    );
    return this.parts.harness
      .journal('prompt')
      .map(({ text = '', pid, at }) => ({ text, pid, at, endedAt: ends.get(`${pid} ${text}`) ?? null }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stack.disposeAsync();
  }

  private withLot(lot: Lot): readonly NemesisSession[] {
    return this.sessions.filter((session) => session.lot === lot);
  }

  private async untilWorkspace(
    { person, workspaceId }: NemesisSession,
    statuses: readonly string[],
  ): Promise<void> {
    await until(
      `a workspace is ${statuses.join(' or ')}`,
      async () => {
        const { body } = await person.get(`/api/workspaces/${workspaceId}`);
        return statuses.includes(body.status) || undefined;
      },
      180_000,
    );
  }
}
