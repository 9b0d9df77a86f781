import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { protocolsWith } from '../../../protocol/socket-token.js';
import { StartedWorkspaces } from './started-workspaces.js';

let started: StartedWorkspaces;

beforeAll(async () => {
  started = await StartedWorkspaces.start('standalone');
}, 90_000);
afterAll(() => started[Symbol.asyncDispose]());

/** The subprotocol that the node selects, or the status of its refusal. */
function open(path: string, protocols: readonly string[]): Promise<string | number | undefined> {
  const { agent } = started;
  const socket = new WebSocket(`wss://127.0.0.1:${agent.port}${path}`, [...protocols], {
    ca: agent.certificate(),
  });
  return new Promise((resolve, reject) => {
    socket.once('open', () => {
      resolve(socket.protocol);
      socket.close();
    });
    socket.once('unexpected-response', (_, { statusCode }) => resolve(statusCode));
    socket.once('error', reject);
  });
}

it.each(['/terminal/ws', '/terminal/ws/multi'])('%s accepts a token as subprotocol', async (path) => {
  const { fake, workspaceId } = started;

  expect(await open(path, protocolsWith(await fake.terminal(workspaceId)))).toBe('berth');
});

it('refuses a wrong token as subprotocol', async () => {
  const { fake, workspaceId } = started;
  const wrong = [
    'x',
    await fake.terminal(workspaceId, 2),
    await fake.management(workspaceId),
    await fake.preview(workspaceId, 5173),
    await fake.terminalOf({ workspace: workspaceId }, '-1m'),
  ];

  for (const path of ['/terminal/ws', '/terminal/ws/multi', '/agent/ws'])
    for (const token of wrong) expect([401, 403], path).toContain(await open(path, protocolsWith(token)));
});

it('prefers the subprotocol to the address', async () => {
  const { fake, workspaceId } = started;
  const token = await fake.terminal(workspaceId);

  expect(await open('/terminal/ws/multi?token=x', protocolsWith(token))).toBe('berth');
  expect(await open(`/terminal/ws/multi?token=${token}`, protocolsWith('x'))).toBe(401);
});
