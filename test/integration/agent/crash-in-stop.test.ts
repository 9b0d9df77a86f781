import { afterEach, describe, expect, it, vi } from 'vitest';
import { processesByCommand } from '../../support/processes-by-command.js';
import { rolesHere, StartedWorkspaces } from './started-workspaces.js';
import { TerminalClient } from './terminal-client.js';

const waiting = { timeout: 40_000, interval: 20 };

describe.each(rolesHere)('a workspace whose agent is killed while it stops, as %s', (role) => {
  let started: StartedWorkspaces;
  afterEach(() => started[Symbol.asyncDispose]());

  const status = async () => {
    const { body } = await started.agent.call('GET', '/workspaces', await started.fake.management());
    return (body.workspaces as { status: string }[])[0]?.status;
  };

  it('is stopped by the next agent, with all its processes', async () => {
    started = await StartedWorkspaces.start(role);
    const { agent, fake, workspaceId } = started;
    const client = await TerminalClient.open(agent, await fake.terminal(workspaceId));
    client.send({ type: 'create_session', sessionId: 'one' });
    await client.waitFor('session_created');
    // It ignores the signal, so that the stop takes its time.
    client.type(
      'one',
      `echo kept >kept.txt; setsid sh -c 'trap "" HUP TERM INT; while :; do sleep 0.2; done' \\
        stubborn-${workspaceId} & sleep 0.2; echo UNDER"WAY"\n`,
    );
    await client.waitForText(/UNDERWAY/);
    expect(processesByCommand(`\0stubborn-${workspaceId}\0`)).not.toEqual([]);

    const token = await fake.management(workspaceId);
    const stopping = agent.call('POST', `/workspaces/${workspaceId}/stop`, token).catch(() => undefined);
    await vi.waitFor(async () => expect(await status()).toBe('stopped'), waiting);
    await agent.kill('SIGKILL');
    await stopping;
    await agent.start();

    expect(await status()).toBe('stopped');
    expect(processesByCommand(`\0stubborn-${workspaceId}\0`)).toEqual([]);
    expect(fake.callsTo(`${workspaceId}/provisioning-failed`)).toEqual([]);

    await agent.call('POST', `/workspaces/${workspaceId}/restart`, token);
    await vi.waitFor(async () => expect(await status()).toBe('running'), waiting);
    const again = await TerminalClient.open(agent, await fake.terminal(workspaceId));
    again.send({ type: 'create_session', sessionId: 'two' });
    await again.waitFor('session_created');
    again.type('two', 'cat kept.txt\n');
    await again.waitForText(/kept\r\n/);
  });
});
