import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AgentHeartbeat, agentHeartbeatKey } from '../../../lambdas/domain/nodes/agent-heartbeat.js';
import { nodeKey } from '../../../lambdas/domain/nodes/node.js';
import { getItem } from '../../../lambdas/domain/records/batch-items.js';
import { changeItem } from '../../../lambdas/domain/records/change-item.js';
import type { Task } from '../../../lambdas/domain/tasks/task.js';
import { issueToken } from '../../../lambdas/domain/tokens/issue-token.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { signingKeys } from '../../support/wrong-tokens.js';
import { TaskRuns } from './task-runs.js';

let runs: TaskRuns;
let task: Task;
let nodeId: string;

beforeAll(async () => {
  runs = await TaskRuns.start();
});

afterAll(() => runs[Symbol.asyncDispose]());

beforeEach(async () => {
  await runs.reset();
  task = await runs.runUpTo('check-workspace');
  nodeId = String((await runs.workspaceOf(task)).nodeId);
});

interface Beat {
  readonly token?: string;
  readonly projectId?: string;
  readonly nodeId?: string;
}

const ofNode = async (sub = nodeId) =>
  (await issueToken(signingKeys(), 'nodeCallback', { claims: { sub }, now: new Date() })).token;

async function ofWorkspace(claims: { generation?: number; sub?: string } = {}): Promise<string> {
  const { workspaceId: sub, generation } = await runs.workspaceOf(task);
  const all = { sub, node: nodeId, generation, ...claims };
  return (await issueToken(signingKeys(), 'workspaceCallback', { claims: all, now: new Date() })).token;
}

const beat = async ({ token, projectId = task.projectId, ...body }: Beat = {}) =>
  runs.routes.call('callbacks/node-acp-heartbeat', {
    params: { projectId },
    headers: { authorization: `Bearer ${token ?? (await ofNode())}` },
    body: { nodeId, acpSdkSessionId: 'one-of-many', ...body },
  });

async function receivedAt(projectId = task.projectId): Promise<string | undefined> {
  const key = agentHeartbeatKey(nodeId, projectId);
  const item = await getItem(runs.table, key);
  return item && AgentHeartbeat.parse(item).receivedAt;
}

describe('the heartbeat of agents', () => {
  it('is accepted from the node or a workspace on it, and written once a minute', async () => {
    expect((await beat()).status).toBe(204);
    expect(runs.routes.made).toHaveLength(2);
    const first = await receivedAt();
    expect(first).toEqual(expect.any(String));
    expect((await beat({ token: await ofWorkspace() })).status).toBe(204);
    expect(await receivedAt()).toBe(first);

    const earlier = new Date(Date.now() - 60_000).toISOString();
    const key = agentHeartbeatKey(nodeId, task.projectId);
    await changeItem(runs.table, { key, set: { receivedAt: earlier }, when: { exists: true } });
    expect((await beat({ token: await ofWorkspace() })).status).toBe(204);
    expect(String(await receivedAt()) > earlier).toBe(true);
  });

  it('is refused for another node, for a project without a workspace there, and from an earlier generation', async () => {
    expect((await beat({ nodeId: newId() })).status).toBe(403);
    expect((await beat({ projectId: newId() })).status).toBe(404);
    expect((await beat({ token: await ofWorkspace({ generation: 0 }) })).status).toBe(410);
    expect((await beat({ token: await ofWorkspace({ sub: newId() }) })).status).toBe(404);

    expect(await receivedAt()).toBeUndefined();
  });

  it('is refused from a removed node', async () => {
    await changeItem(runs.table, {
      key: nodeKey(nodeId),
      set: { status: 'deleted' },
      when: { exists: true },
    });

    expect(await beat()).toMatchObject({ status: 410, body: { error: 'GONE' } });
    const unknown = newId();
    expect((await beat({ token: await ofNode(unknown), nodeId: unknown })).status).toBe(410);
  });
});
