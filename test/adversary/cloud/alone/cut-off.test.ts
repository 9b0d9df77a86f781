import { expect, inject, it } from 'vitest';
import { WebSocket } from 'ws';
import { createWorkspace, openTerminal, terminalToken, untilStatus } from '../../../e2e/one-workspace.js';
import { Person } from '../../../support/person.js';
import { TerminalClient } from '../../../support/terminal-client.js';
import { until } from '../../../support/until.js';
import { deadlines } from '../../revocation/deadlines.js';

// Through the deployed stream, sagas and a real agent: a superadmin suspends a connected person.

const { url, octo: cookies } = inject('cloud');
const limits = deadlines.suspension;
const withinMs = (seconds: number | null) => (seconds ?? 0) * 1_000;

async function liveSocketOf(person: Person): Promise<{ closed(): true | undefined }> {
  const headers = { cookie: person.cookieHeader, origin: url };
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/live`, { headers });
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  return { closed: () => socket.readyState === WebSocket.CLOSED || undefined };
}

it('closes everything that a suspended person has open, and admits the person again', async () => {
  const octo = new Person(url, cookies);
  const hubot = await Person.signIn(url, 'hubot');
  const elsewhere = await Person.signIn(url, 'hubot');
  const { workspaceId } = await createWorkspace(hubot, 'cut-off');
  const terminal = await openTerminal(elsewhere, workspaceId, 'open');
  const { token, host, port } = await terminalToken(hubot, workspaceId);
  const live = await liveSocketOf(hubot);
  const { body } = await octo.get('/api/admin/users');
  const users: readonly { readonly id: string; readonly login: string }[] = body.users;
  const path = `/api/admin/users/${users.find(({ login }) => login === 'hubot')?.id}`;

  const cut = await octo.request('PATCH', path, { json: { status: 'suspended' } });

  expect(cut.status, cut.text).toBe(200);
  for (const session of [hubot, elsewhere])
    expect((await session.get(`/api/workspaces/${workspaceId}`)).status).toBe(401);
  await expect(Person.signIn(url, 'hubot')).rejects.toThrow('account_suspended');
  await until('the live socket to close', live.closed, withinMs(limits['live socket']));
  const onNodes = withinMs(limits['terminal, agent socket and preview on a node']);
  await until('the terminal to close', () => terminal.closeCode, onNodes);
  await until(
    'the terminal token to be refused',
    () =>
      new TerminalClient('late', { host, port }).connect(token).then(
        () => undefined,
        () => true as const,
      ),
    onNodes,
  );

  const back = await octo.request('PATCH', path, { json: { status: 'active' } });
  expect(back.status, back.text).toBe(200);
  const again = await Person.signIn(url, 'hubot');
  await untilStatus(again, workspaceId, 'stopped', withinMs(limits['running workspace']));
  expect((await hubot.get(`/api/workspaces/${workspaceId}`)).status).toBe(401);
  await again.delete(`/api/workspaces/${workspaceId}`);
});
