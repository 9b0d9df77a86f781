import { beforeAll, describe, expect, it } from 'vitest';
import { changeItem } from '../../../lambdas/domain/records/change-item.js';
import { issueToken } from '../../../lambdas/domain/tokens/issue-token.js';
import { placedOn, workspaceKey } from '../../../lambdas/domain/workspaces/workspace.js';
import type { Route } from '../../../lambdas/route-row.js';
import { routes } from '../../../lambdas/routes.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Agent } from '../../integration/mcp/an-agent.js';
import { functionEnv } from '../../support/function-env.js';
import { aNode, putNode } from '../../support/records.js';
import { signingKeys } from '../../support/wrong-tokens.js';
import { callbackRows, type Ids, ignoredIds } from './callback-rows.js';
import { type Someone, TwoMembers } from './two-members.js';

// Every callback with one member's workspace or node token and, in turn, each id of another member.

const isCallback = ({ auth: { kind }, file }: Route) =>
  kind.endsWith('Callback') || file === 'callbacks/bootstrap';
const callbacks = routes.filter(isCallback);

let two: TwoMembers;
let alice: Ids;
let bob: Ids;

beforeAll(async () => {
  process.env.UPLOADS_BUCKET = functionEnv.UPLOADS_BUCKET;
  two = await TwoMembers.load(callbacks.map(({ file }) => file));
  [alice, bob] = await Promise.all([place(two.alice, newId()), place(two.bob)]);
});

async function place({ agent, userId }: Someone, projectId = two.project.projectId): Promise<Ids> {
  const { nodeId } = await putNode(two.table, aNode({ userId }));
  await putOnNode(agent, nodeId);
  const { workspaceId, chatSessionId: sessionId, agentSessionId } = agent.draft;
  return { projectId, workspaceId, nodeId, sessionId, agentSessionId, taskId: sessionId };
}

/** Running there, and found among the workspaces of the node. */
async function putOnNode({ put, draft: { workspaceId } }: Agent, nodeId: string): Promise<void> {
  await put.workspace({ nodeId });
  const set = placedOn(nodeId, workspaceId);
  await changeItem(two.table, { key: workspaceKey(workspaceId), set, when: { exists: true } });
}

async function tokenFor({ auth }: Route): Promise<string> {
  const { nodeId, workspaceId } = bob;
  const now = new Date();
  const keys = signingKeys();
  if (auth.kind === 'nodeCallback')
    return (await issueToken(keys, 'nodeCallback', { claims: { sub: nodeId }, now })).token;
  const claims = { sub: workspaceId, node: nodeId, generation: 1 };
  return (await issueToken(keys, 'workspaceCallback', { claims, now })).token;
}

async function call(route: Route, ids: Ids) {
  const request = callbackRows[route.file]?.(ids);
  const headers = { authorization: `Bearer ${await tokenFor(route)}` };
  const reply = await two.plain(route.file, { ...request, headers });
  expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(500);
  return reply;
}

/** All that is of the other member: session, workspace, node, task and credentials. */
const recordsOfAlice = () =>
  two.records(
    ...[`CHAT#${alice.sessionId}`, `WORKSPACE#${alice.workspaceId}`, `NODE#${alice.nodeId}`],
    ...[`TASK#${alice.taskId}`, `USER#${two.alice.userId}`],
  );
const taskOfAlice = async () =>
  (await two.records(`PROJECT#${two.project.projectId}`)).filter(({ sk }) =>
    String(sk).endsWith(alice.taskId),
  );

it('every callback has a row', () => {
  expect(Object.keys(callbackRows).toSorted()).toEqual(callbacks.map(({ file }) => file).toSorted());
});

const named = (file: string): readonly (keyof Ids)[] => {
  const ids: Ids = {
    ...{ projectId: 'P', workspaceId: 'W', nodeId: 'N' },
    ...{ sessionId: 'S', agentSessionId: 'A', taskId: 'T' },
  };
  // What differs with an id is what names it; times and ids of its own are not compared.
  const text = (one: Ids) => JSON.stringify(callbackRows[file]?.(one)).replace(/"[0-9][^"]{9,}"/g, '""');
  return (Object.keys(ids) as (keyof Ids)[]).filter((id) => text(ids) !== text({ ...ids, [id]: 'other' }));
};

/** Why the good request of a callback is refused here, beside the ids that it names. */
const unmet: Readonly<Record<string, string>> = {
  'callbacks/bootstrap': 'There is no such bootstrap token',
  'callbacks/renew-token': 'There is no such node token',
  'callbacks/agent-key': 'The person has stored no credential',
  'callbacks/agent-credential-sync': 'The person has stored no credential',
  'callbacks/git-token': 'There is no code host',
  'callbacks/session-snapshot-prepare': 'No sleep is in progress',
  'callbacks/session-snapshot-progress': 'No sleep is in progress',
  'callbacks/session-snapshot-failure': 'No sleep is in progress',
  'callbacks/session-snapshot-upload-url': 'No sleep is in progress',
  'callbacks/session-snapshot-complete': 'No sleep is in progress',
  'callbacks/session-snapshot-restore-result': 'No wake is in progress',
  'callbacks/workspace-eviction': 'No node has captured it: evictions/eviction-report.test.ts',
  'callbacks/workspace-resource-history': 'There is no bucket: resource-history/history.test.ts',
};

it('the records of the other member are there to be compared', async () => {
  const kinds = [...(await recordsOfAlice()), ...(await taskOfAlice())].map(({ entity }) => entity);

  for (const kind of ['chat', 'workspace', 'agent-session', 'node', 'task']) expect(kinds).toContain(kind);
});

describe.each(callbacks.map((route) => [route.file, route] as const))('%s', (file, route) => {
  const names = named(file);

  it.each(names)('does nothing to another member with %s of theirs', async (id) => {
    const before = [await recordsOfAlice(), await taskOfAlice()];

    const { status } = await call(route, { ...bob, [id]: alice[id] });

    expect([await recordsOfAlice(), await taskOfAlice()]).toEqual(before);
    const isIgnored = ignoredIds[file]?.includes(id) === true;
    if (!isIgnored) expect([401, 403, 404, 409, 410], `answered ${status}`).toContain(status);
  });

  it.skipIf(unmet[file] !== undefined)('is taken with the ids of its own', async () => {
    // A callback before may have ended it.
    await putOnNode(two.bob.agent, bob.nodeId);

    const { status } = await call(route, bob);

    expect(
      file === 'callbacks/complete-interaction-url' ? [409] : [200, 201, 204],
      `answered ${status}`,
    ).toContain(status);
  });

  it('does nothing to another member with all ids of theirs', async () => {
    const before = [await recordsOfAlice(), await taskOfAlice()];

    const { status } = await call(route, alice);

    expect([await recordsOfAlice(), await taskOfAlice()]).toEqual(before);
    expect([401, 403, 404, 409, 410], `answered ${status}`).toContain(status);
  });
});
