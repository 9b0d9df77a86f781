import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findTask } from '../../../lambdas/domain/tasks/find-task.js';
import { emptyTable } from '../../support/table.js';
import { type TaskProject, TaskRoutes } from './task-project.js';

let routes: TaskRoutes;
let mine: TaskProject;

beforeAll(async () => {
  routes = await TaskRoutes.load(await emptyTable(), ['tasks/create']);
});

beforeEach(async () => {
  mine = await routes.newProject();
});

describe('a draft below a task', () => {
  const below = (parentTaskId: string) => mine.call('create', { body: { title: 'Part', parentTaskId } });
  const tooMany = { status: 409, body: { error: 'SUB_TASK_LIMIT_REACHED' } };

  it('counts among its sub-tasks, of which there are five', async () => {
    const parentTaskId = await mine.newTask();
    for (let made = 0; made < 5; made += 1) expect((await below(parentTaskId)).status).toBe(201);

    expect(await below(parentTaskId)).toMatchObject(tooMany);
    expect(await findTask(routes.table, mine.projectId, parentTaskId)).toMatchObject({ subTaskCount: 5 });
  });

  it('is at most three deep', async () => {
    let deepest = await mine.newTask();
    for (const dispatchDepth of [1, 2, 3]) {
      const { body } = await below(deepest);
      expect(body).toMatchObject({ dispatchDepth });
      deepest = body.id;
    }

    expect(await below(deepest)).toMatchObject(tooMany);
  });
});
