import { Conflict, NotFound } from '../../shared/errors.js';
import { maxTasksPerProject } from './task-counts.js';
import { maxDependenciesPerProject, maxDependenciesPerTask } from './task-graph.js';
import type { TaskStatus } from './task-status.js';

export class TaskNotFound extends NotFound {
  override readonly name = 'TaskNotFound';

  constructor() {
    super('Task');
  }
}

export class ParentTaskNotFound extends NotFound {
  override readonly name = 'ParentTaskNotFound';
  override readonly details = [{ field: 'body.parentTaskId', message: 'No task of this project' }];

  constructor() {
    super('Parent task');
  }
}

export class TaskDependencyNotFound extends NotFound {
  override readonly name = 'TaskDependencyNotFound';
  override readonly details = [{ field: 'body.dependsOnTaskId', message: 'No task of this project' }];

  constructor() {
    super('Task to wait for');
  }
}

/** It is not in a state in which this can be done. */
export class TaskNotInState extends Conflict {
  override readonly name = 'TaskNotInState';
  override readonly code = 'TASK_NOT_IN_STATE';

  constructor(
    readonly status: TaskStatus,
    wanted: string,
  ) {
    super(`The task is ${status}; ${wanted}`);
  }
}

export class TaskLimitReached extends Conflict {
  override readonly name = 'TaskLimitReached';
  override readonly code = 'TASK_LIMIT_REACHED';

  constructor() {
    super(`The project holds ${maxTasksPerProject} tasks, which is the most there may be; delete some`);
  }
}

/** As many tasks of the project are at work as may be at once. */
export class TaskConcurrencyReached extends Conflict {
  override readonly name = 'TaskConcurrencyReached';
  override readonly code = 'TASK_CONCURRENCY_REACHED';

  constructor(limit: number) {
    super(
      `${limit} tasks of the project are at work, which is the most at once; wait for one, or cancel one`,
    );
  }
}

export class TaskDependencyCycle extends Conflict {
  override readonly name = 'TaskDependencyCycle';
  override readonly code = 'TASK_DEPENDENCY_CYCLE';
  override readonly details = [
    { field: 'body.dependsOnTaskId', message: 'It waits for this task already, by itself or through others' },
  ];

  constructor() {
    super('The tasks would wait for each other');
  }
}

export class TaskDependencyLimit extends Conflict {
  override readonly name = 'TaskDependencyLimit';
  override readonly code = 'TASK_DEPENDENCY_LIMIT';

  constructor() {
    super(
      `A task may wait for ${maxDependenciesPerTask} others, and a project have ${maxDependenciesPerProject} dependencies`,
    );
  }
}
