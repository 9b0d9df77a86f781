import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { openTerminal, run, untilStatus } from '../../../e2e/one-workspace.js';
import { Person } from '../../../support/person.js';
import { projectOf } from '../../../support/project-of.js';
import { until } from '../../../support/until.js';

// One person floods git/status of a repository that configures a slow program; another works on.

const { url, octo, mallory } = inject('cloud');
const flooder = new Person(url, octo);
const bystander = new Person(url, mallory);
const parallel = 24;
let workspaceId: string;
let statusPath: string;

beforeAll(async () => {
  const { client } = flooder;
  const projectId = await projectOf(flooder, 'octo/hello', 'Hello flood');
  const body = { projectId, displayName: 'flood' };
  workspaceId = (await client.call('POST /api/workspaces', { body })).id;
  await untilStatus(flooder, workspaceId, 'running');
  const params = { projectId };
  const chat = await client.call('POST /api/projects/{projectId}/sessions', {
    params,
    body: { workspaceId },
  });
  statusPath = `/api/projects/${projectId}/sessions/${chat.id}/git/status`;
  const terminal = await openTerminal(flooder, workspaceId, 'flood');
  await terminal.create();
  // The agent ignores this setting. An agent that runs the program would wait for it.
  await run(terminal, 'echo sleep 20 > .git/slow');
  await run(terminal, 'chmod +x .git/slow');
  await run(terminal, 'git config core.fsmonitor .git/slow');
  terminal.drop();
});
afterAll(() => flooder.client.call('DELETE /api/workspaces/{workspaceId}', { params: { workspaceId } }));

const heartbeatAt = async (): Promise<string | null | undefined> => {
  const { nodes } = await flooder.client.call('GET /api/nodes');
  return nodes[0]?.lastHeartbeatAt;
};

it('lets a bystander and the nodes go on while one person floods git status', async () => {
  const before = await heartbeatAt();
  let ended = 0;
  const flood = Array.from({ length: parallel }, async () => {
    const reply = await flooder.get(statusPath);
    ended += 1;
    return reply;
  });

  const served = [];
  for (let request = 0; request < 10; request += 1)
    served.push((await bystander.get('/api/projects')).status);
  const replies = await Promise.all(flood);
  await until('a heartbeat after the flood', async () =>
    (await heartbeatAt()) !== before ? true : undefined,
  );

  expect(served).toEqual(Array(10).fill(200));
  expect(ended).toBe(parallel);
  expect(replies.filter(({ status }) => status !== 200 && status !== 429)).toEqual([]);
  for (const { status, body } of replies)
    if (status === 429) expect(body).toMatchObject({ error: 'TOO_MANY_REQUESTS_IN_FLIGHT' });
});
