import { beforeAll, describe, expect, it } from 'vitest';
import { fullTrust } from '../../../lambdas/domain/launch/launch-trust.js';
import { storeUserSettings } from '../../../lambdas/domain/launch/load-layers.js';
import { resolveLaunch } from '../../../lambdas/domain/launch/resolve-launch.js';
import { projectItem } from '../../../lambdas/domain/projects/project.js';
import { newTask, taskItem } from '../../../lambdas/domain/tasks/task.js';
import { issueToken } from '../../../lambdas/domain/tokens/issue-token.js';
import type { Workspace } from '../../../lambdas/domain/workspaces/workspace.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { type CallCount, callBudget, countCalls } from '../../support/count-calls.js';
import { functionEnv } from '../../support/function-env.js';
import { type Invoke, loadRoute } from '../../support/invoke.js';
import { aProject, putItem } from '../../support/project.js';
import { placedWorkspace } from '../../support/records.js';
import { emptyTable } from '../../support/table.js';
import { signingKeys } from '../../support/wrong-tokens.js';

let table: Table;
let calls: CallCount;
let invoke: Invoke;

beforeAll(async () => {
  table = await emptyTable();
  Object.assign(process.env, functionEnv, { TABLE_NAME: table.name });
  ({ table } = await import('../../../lambdas/shared/clients/documents.js'));
  invoke = await loadRoute('callbacks/agent-settings');
  calls = countCalls(table.client);
});

async function ask({ workspaceId, nodeId, generation }: Workspace, agentType = 'claude-code') {
  const claims = { sub: workspaceId, node: nodeId ?? '', generation };
  const { token } = await issueToken(signingKeys(), 'workspaceCallback', { claims, now: new Date() });
  calls.reset();
  const headers = { authorization: `Bearer ${token}` };
  const reply = await invoke({ params: { workspaceId }, headers, body: { agentType } });
  expect(calls.names.length, calls.names.join()).toBeLessThanOrEqual(callBudget.POST);
  return reply;
}

const running = async (overrides: Partial<Workspace>) =>
  (await placedWorkspace(table, { status: 'running', ...overrides })).workspace;

describe('the settings of an agent', () => {
  it('are the defaults of the platform when nobody has set any', async () => {
    expect(await ask(await running({}))).toMatchObject({
      status: 200,
      body: {
        model: null,
        effort: null,
        permissionMode: 'bypassPermissions',
        opencodeProvider: null,
        opencodeBaseUrl: null,
      },
    });
  });

  it('combine those of project and person for its kind of agent', async () => {
    const project = aProject({ settings: { agentDefaults: { 'openai-codex': { model: 'of-project' } } } });
    await putItem(table, projectItem(project));
    const { projectId, userId } = project;
    const settings = { effort: 'low', model: 'of-person', permissionMode: 'plan' } as const;
    await storeUserSettings(table, { userId, settings, now: new Date() });
    const workspace = await running({ userId, projectId });

    expect((await ask(workspace)).body).toMatchObject({
      model: 'of-person',
      effort: 'low',
      permissionMode: 'plan',
    });
    expect((await ask(workspace, 'openai-codex')).body).toMatchObject({ model: 'of-project', effort: 'low' });
  });

  it('have the provider of OpenCode', async () => {
    const own = { opencodeProvider: 'custom', opencodeBaseUrl: 'http://localhost:11434/v1' } as const;
    const userId = newId();
    const settings = { agentDefaults: { opencode: { ...own, model: 'llama' } } };
    await storeUserSettings(table, { userId, settings, now: new Date() });
    const workspace = await running({ userId });

    expect((await ask(workspace, 'opencode')).body).toMatchObject({ ...own, model: 'llama' });
    expect((await ask(workspace)).body).toMatchObject({ opencodeProvider: null, opencodeBaseUrl: null });
  });

  it('of a task are those of its submission, for agents of its kind', async () => {
    const project = aProject();
    await putItem(table, projectItem(project));
    const { projectId, userId } = project;
    const launch = resolveLaunch({ request: { model: 'of-request' } }, fullTrust);
    const task = newTask({ taskId: newId(), projectId, userId, title: 'Fix it', launch }, new Date());
    await putItem(table, taskItem(task));
    const workspace = await running({ userId, projectId, taskId: task.taskId });

    expect(await ask(workspace)).toMatchObject({
      status: 200,
      headers: { 'cache-control': 'no-store' },
      body: { model: 'of-request' },
    });
    expect((await ask(workspace, 'amp')).body).toMatchObject({ model: null });
  });

  it('are refused to an earlier generation', async () => {
    const workspace = await running({});

    expect(await ask({ ...workspace, generation: 0 })).toMatchObject({ status: 410 });
    expect(await ask(await running({ status: 'stopped' }))).toMatchObject({ status: 410 });
  });
});
