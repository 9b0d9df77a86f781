import { beforeAll, describe, expect, it } from 'vitest';
import { resolveLaunch } from '../../../lambdas/domain/launch/resolve-launch.js';
import { storeUserSettings } from '../../../lambdas/domain/launch/user-settings.js';
import { createPreset, type PresetParts } from '../../../lambdas/domain/profiles/create-preset.js';
import { deletePreset } from '../../../lambdas/domain/profiles/delete-preset.js';
import { type Preset, presetLayer } from '../../../lambdas/domain/profiles/preset.js';
import { projectItem } from '../../../lambdas/domain/projects/project.js';
import { newTask, taskItem } from '../../../lambdas/domain/tasks/task.js';
import { issueToken } from '../../../lambdas/domain/tokens/issue-token.js';
import type { Workspace } from '../../../lambdas/domain/workspaces/workspace.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { type CallCount, callBudget, countCalls } from '../../support/count-calls.js';
import { functionEnv } from '../../support/function-env.js';
import { type Invoke, loadRoute } from '../../support/invoke.js';
import { emptyTable } from '../../support/table.js';
import { signingKeys } from '../../support/wrong-tokens.js';
import { placedWorkspace } from '../workspaces/builders.js';
import { aProject, putItem } from './a-project.js';

let table: Table;
let parts: PresetParts;
let calls: CallCount;
let invoke: Invoke;

beforeAll(async () => {
  table = await emptyTable();
  Object.assign(process.env, functionEnv, { TABLE_NAME: table.name });
  ({ table } = await import('../../../lambdas/shared/clients/documents.js'));
  parts = { table, secrets: (await import('../../../lambdas/edge/secret-box.js')).secretBox };
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

async function aPreset(kind: Preset['kind'], projectId: string, environment: Record<string, string>) {
  const draft = { kind, presetId: newId(), projectId, name: kind, description: null, createdBy: newId() };
  return createPreset(parts, { ...draft, settings: {}, environment }, new Date());
}

describe('the settings of an agent', () => {
  it('are the platform’s where nobody said anything', async () => {
    expect(await ask(await running({}))).toMatchObject({
      status: 200,
      body: { model: null, effort: null, permissionMode: 'bypassPermissions', environment: {} },
    });
  });

  it('are what project and person say of its kind', async () => {
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

  it('of a task are what it was submitted with, with the variables of its profile and skill', async () => {
    const project = aProject();
    await putItem(table, projectItem(project));
    const { projectId, userId } = project;
    const profile = await aPreset('profile', projectId, { BOTH: 'of-profile', ONE: 'geheim' });
    const skill = await aPreset('skill', projectId, { BOTH: 'of-skill', OTHER: 'of-skill' });
    const layers = { profile: presetLayer(profile), skill: presetLayer(skill) };
    const task = newTask(
      {
        ...{ taskId: newId(), projectId, userId, title: 'Fix it' },
        ...{ agentProfileId: profile.presetId, skillId: skill.presetId },
        launch: resolveLaunch({ request: { model: 'of-request' }, ...layers }),
      },
      new Date(),
    );
    await putItem(table, taskItem(task));
    const workspace = await running({ userId, projectId, taskId: task.taskId });

    expect(await ask(workspace)).toMatchObject({
      status: 200,
      headers: { 'cache-control': 'no-store' },
      body: { model: 'of-request', environment: { BOTH: 'of-profile', ONE: 'geheim', OTHER: 'of-skill' } },
    });
    expect((await ask(workspace, 'amp')).body).toMatchObject({ model: null, environment: {} });
    await deletePreset(table, profile);
    expect((await ask(workspace)).body).toMatchObject({ environment: { OTHER: 'of-skill' } });
  });

  it('are not told of a life that is over', async () => {
    const workspace = await running({});

    expect(await ask({ ...workspace, generation: 0 })).toMatchObject({ status: 410 });
    expect(await ask(await running({ status: 'stopped' }))).toMatchObject({ status: 410 });
  });
});
