import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type ProfileKind,
  type ProfileOrSkill,
  profileItem,
  profileKey,
} from '../../../lambdas/domain/profiles/profile-or-skill.js';
import { findTask } from '../../../lambdas/domain/tasks/load-task.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { putItem } from '../../support/project.js';
import { emptyTable } from '../../support/table.js';
import { type TaskProject, TaskRoutes } from './task-project.js';

const files = ['create', 'patch', 'status', 'run'].map((name) => `tasks/${name}`);

let routes: TaskRoutes;
let mine: TaskProject;

beforeAll(async () => {
  routes = await TaskRoutes.load(await emptyTable(), files);
});

beforeEach(async () => {
  mine = await routes.newProject();
});

describe('a draft subtask', () => {
  const below = (parentTaskId: string) => mine.call('create', { body: { title: 'Part', parentTaskId } });
  const tooMany = { status: 409, body: { error: 'SUB_TASK_LIMIT_REACHED' } };

  it('counts towards the limit of five subtasks', async () => {
    const parentTaskId = await mine.newTask();
    for (let made = 0; made < 5; made += 1) expect((await below(parentTaskId)).status).toBe(201);

    expect(await below(parentTaskId)).toMatchObject(tooMany);
    expect(await findTask(routes.table, mine.projectId, parentTaskId)).toMatchObject({ subTaskCount: 5 });
  });

  it('is at most three levels deep', async () => {
    let deepest = await mine.newTask();
    for (const dispatchDepth of [1, 2, 3]) {
      const { body } = await below(deepest);
      expect(body).toMatchObject({ dispatchDepth });
      deepest = body.id;
    }

    expect(await below(deepest)).toMatchObject(tooMany);
  });
});

describe('a draft with a profile and a skill', () => {
  async function profile(kind: ProfileKind, settings: ProfileOrSkill['settings']): Promise<string> {
    const { projectId } = mine;
    const at = new Date().toISOString();
    const profileId = newId();
    const named = { name: profileId, normalizedName: profileId, description: null, environment: {} };
    const item = profileItem({
      ...{ kind, profileId, projectId, settings, ...named },
      ...{ version: 1, createdBy: mine.owner.userId, createdAt: at, updatedAt: at },
    });
    await putItem(routes.table, item);
    return profileId;
  }

  it('runs with the settings of both', async () => {
    const agentProfileId = await profile('profile', { agentType: 'amp', taskMode: 'conversation' });
    const skillId = await profile('skill', { agentType: 'opencode', effort: 'high' });
    const taskId = await mine.newTask({ agentProfileId });
    const params = { taskId };
    await mine.call('patch', { params, body: { skillId } });
    await mine.call('status', { params, body: { toStatus: 'ready' } });

    expect((await mine.call('run', { params })).status).toBe(202);
    expect(await findTask(routes.table, mine.projectId, taskId)).toMatchObject({
      ...{ agentProfileId, skillId, taskMode: 'conversation' },
      launch: {
        agentType: { value: 'amp', from: 'profile' },
        taskMode: { value: 'conversation', from: 'profile' },
        effort: { value: 'high', from: 'skill' },
      },
    });
  });

  it('is refused when the project does not have them', async () => {
    const theirs = await profile('profile', {});
    const taskId = await mine.newTask({ agentProfileId: theirs });
    await removeProfile(theirs);

    for (const [field, body] of [
      ['agentProfileId', { agentProfileId: theirs }],
      ['skillId', { skillId: theirs }],
    ] as const) {
      const refused = { status: 400, body: { details: [{ field: `body.${field}` }] } };
      expect(await mine.call('create', { body: { title: 'a', ...body } })).toMatchObject(refused);
      expect(await mine.call('patch', { params: { taskId }, body })).toMatchObject(refused);
    }
  });

  it('runs without them after they are removed from the draft', async () => {
    const agentProfileId = await profile('profile', { agentType: 'amp' });
    const taskId = await mine.newTask({ agentProfileId });
    const params = { taskId };
    await mine.call('status', { params, body: { toStatus: 'ready' } });
    await removeProfile(agentProfileId);

    expect(await mine.call('run', { params })).toMatchObject({
      status: 400,
      body: { details: [{ field: 'task.agentProfileId' }] },
    });
    await mine.call('patch', { params, body: { agentProfileId: null } });
    expect((await mine.call('run', { params })).status).toBe(202);
  });

  const removeProfile = (profileId: string) =>
    routes.table.client.send(
      new DeleteCommand({
        TableName: routes.table.name,
        Key: profileKey('profile', mine.projectId, profileId),
      }),
    );
});
