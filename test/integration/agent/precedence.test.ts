import { getPriority } from 'node:os';
import { expect, it } from 'vitest';
import { rolesHere, StartedWorkspaces } from './started-workspaces.js';
import { TerminalClient } from './terminal-client.js';

it.runIf(process.getuid?.() === 0).for(rolesHere)(
  'the agent goes before the shells of its workspaces (%s)',
  async (role) => {
    await using started = await StartedWorkspaces.start(role);
    const { agent, fake, workspaceId } = started;
    const client = await TerminalClient.open(agent, await fake.terminal(workspaceId));
    client.send({ type: 'create_session', sessionId: 'one' });
    await client.waitFor('session_created');
    client.type('one', 'echo "priority $(nice) o"f shells\n');

    const [, priority] = await client.waitForText(/priority (-?\d+) of shells/);

    expect(priority).toBe('0');
    expect(getPriority(agent.pid)).toBe(-10);
    client.socket.terminate();
  },
);
