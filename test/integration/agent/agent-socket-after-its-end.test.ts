import { afterAll, beforeAll, expect, it } from 'vitest';
import { AgentViewer } from '../../support/agent-viewer.js';
import { until } from '../../support/until.js';
import { type AgentSocketServer, startAgentSocketServer } from './agent-socket-server.js';

let server: AgentSocketServer;
const sessionId = 'watched';

beforeAll(async () => {
  server = await startAgentSocketServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const viewer = async (session: string) => {
  const token = await server.fake.terminalOf({ workspace: server.workspaceId, session });
  return new AgentViewer(await server.connect(`sessionId=${sessionId}`, token)).attached();
};

it('accepts no prompt from a viewer whose sign-in session has ended', async () => {
  const stays = await viewer('goes on');
  stays.send({ type: 'select_agent', agentType: 'claude-code' });
  await stays.frame('ready', ({ type, status }) => type === 'session_state' && status === 'ready');
  const leaves = await viewer('over');

  // It does not receive the signal to end.
  leaves.socket.pause();
  server.ends.end('over');
  leaves.prompt(1, 'Too late');
  leaves.socket.resume();
  await until('the close', () => leaves.closed ?? undefined);
  stays.prompt(2, 'In time');
  await until('a turn', () => server.harnesses.last.turns[0]);

  expect(server.harnesses.last.turns.map(({ text }) => text)).toEqual(['In time']);
});
