import { ulid } from 'ulid';
import { expect, vi } from 'vitest';
import type { AgentProcess } from './agent-process.js';
import type { FakeControlPlane } from './fake-control-plane.js';
import { TerminalClient } from './terminal-client.js';
import { workspaceRequest } from './workspace-request.js';

const waiting = { timeout: 30_000, interval: 50 };

/** Makes workspaces on an agent, runs things in them, and removes them. */
export class TestWorkspaces implements AsyncDisposable {
  private readonly ids: string[] = [];
  private readonly terminals: TerminalClient[] = [];

  constructor(
    private readonly fake: FakeControlPlane,
    private readonly agent: AgentProcess,
  ) {}

  /** Id of a workspace that runs. */
  async make(): Promise<string> {
    const id = ulid();
    const token = await this.fake.management(id);
    const created = await this.agent.call(
      'POST',
      '/workspaces',
      token,
      await workspaceRequest(this.fake, id),
    );
    expect(created).toMatchObject({ status: 202 });
    this.ids.push(id);
    await vi.waitFor(async () => {
      const { body } = await this.agent.call('GET', '/workspaces', await this.fake.management());
      const { status } = (body.workspaces as { workspaceId: string; status: string }[]).find(
        ({ workspaceId }) => workspaceId === id,
      ) ?? { status: 'none' };
      expect(status).toBe('running');
    }, waiting);
    return id;
  }

  /** Gives a command line to a shell of the workspace; the command runs until the shell ends. */
  async run(workspaceId: string, commandLine: string): Promise<TerminalClient> {
    const sessionId = `run-${this.terminals.length}`;
    const terminal = await TerminalClient.open(this.agent, await this.fake.terminal(workspaceId));
    this.terminals.push(terminal);
    terminal.send({ type: 'create_session', sessionId, data: { rows: 30, cols: 200 } });
    await terminal.waitFor('session_created');
    terminal.type(sessionId, `${commandLine}\n`);
    return terminal;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { socket } of this.terminals) socket.close();
    for (const id of this.ids)
      await this.agent.call('DELETE', `/workspaces/${id}`, await this.fake.management(id));
  }
}
