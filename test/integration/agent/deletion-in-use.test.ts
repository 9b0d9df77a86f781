import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { rolesHere, StartedWorkspaces } from './started-workspaces.js';
import { TerminalClient } from './terminal-client.js';

const waiting = { timeout: 30_000, interval: 5 };

describe.each(rolesHere)('a deletion as %s', (role) => {
  let started: StartedWorkspaces;

  beforeAll(async () => {
    started = await StartedWorkspaces.start(role);
  });
  afterAll(() => started[Symbol.asyncDispose]());

  it('refuses every request to the workspace until it has finished', async () => {
    const { agent, fake, workspaceId } = started;
    const client = await TerminalClient.open(agent, await fake.terminal(workspaceId));
    client.send({ type: 'create_session', sessionId: 'first' });
    await client.waitFor('session_created');
    // A program that does not let itself be ended gently makes it long.
    client.type('first', `(trap '' TERM HUP; while :; do sleep 0.1; done) & disown; echo RE"ADY"\n`);
    await client.waitForText(/READY/);

    const deleted = agent.call('DELETE', `/workspaces/${workspaceId}`, await fake.management(workspaceId));
    await client.waitFor('session_closed');
    client.send({ type: 'create_session', sessionId: 'late' });
    const answer = () =>
      client.messages.find((message) => 'sessionId' in message && message.sessionId === 'late');
    await vi.waitFor(() => expect(answer()).toBeDefined(), waiting);

    expect(await deleted).toEqual({ status: 200, body: { success: true } });
    expect(answer()).toMatchObject({
      type: 'error',
      data: { error: expect.stringMatching(/is being deleted|Workspace not found/) },
    });
    client.send({ type: 'list_sessions' });
    expect(await client.waitFor('session_list')).toMatchObject({ data: { sessions: [] } });
    client.socket.close();
  });
});
