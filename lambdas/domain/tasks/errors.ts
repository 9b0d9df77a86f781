import { Conflict, NotFound } from '../../shared/errors.js';
import type { Workspace } from '../workspaces/workspace.js';
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
  override readonly details = [{ field: 'parentTaskId', message: 'No task of this project' }];

  constructor() {
    super('Parent task');
  }
}

export class TaskDependencyNotFound extends NotFound {
  override readonly name = 'TaskDependencyNotFound';
  override readonly details = [{ field: 'dependsOnTaskId', message: 'No task of this project' }];

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

/** Its execution is over while a step of it still runs: nothing more is built, and what was is put away. */
export class TaskEnded extends Conflict {
  override readonly name = 'TaskEnded';

  constructor() {
    super('The execution of the task is over');
  }
}

/** The workspace of a task does not run and will not. The message is for the person. */
export class WorkspaceNotMade extends Conflict {
  override readonly name = 'WorkspaceNotMade';

  constructor(workspace: Pick<Workspace, 'status' | 'errorMessage'> | undefined) {
    const status = workspace?.status ?? 'deleted';
    super(
      workspace?.errorMessage ?? `The workspace of the task is ${status}. Run the task again for a new one.`,
    );
  }
}

/** What the task names was never uploaded, or too long ago. The message is for the person. */
export class AttachmentMissing extends Conflict {
  override readonly name = 'AttachmentMissing';

  constructor(filename: string) {
    super(`The attachment ${filename} was not uploaded. Upload it, and submit the task again.`);
  }
}

/** The agent was not begun. The message is for the person. */
export class FirstPromptNotDelivered extends Conflict {
  override readonly name = 'FirstPromptNotDelivered';

  constructor(outcome: 'failed' | 'ambiguous', reason: string) {
    super(
      outcome === 'ambiguous'
        ? `Whether the agent was given the message cannot be known (${reason}), so it is not sent twice. Look at the session for what it did, and run the task again.`
        : `The agent could not be given the message (${reason}). Run the task again.`,
    );
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

/** Tasks below tasks, so that agents cannot set each other to work without end. */
export class SubTaskLimitReached extends Conflict {
  override readonly name = 'SubTaskLimitReached';
  override readonly code = 'SUB_TASK_LIMIT_REACHED';

  constructor(what: 'deep' | 'many', limit: number) {
    super(
      what === 'deep'
        ? `Tasks may be ${limit} deep below one another`
        : `The parent has had ${limit} sub-tasks, which is the most there may be`,
    );
  }
}

/** What it waits for is not completed. */
export class TaskBlocked extends Conflict {
  override readonly name = 'TaskBlocked';
  override readonly code = 'TASK_BLOCKED';

  constructor(titles: readonly string[]) {
    super(`The task waits for others that are not completed: ${titles.join(', ')}`);
  }
}

export class TaskDependencyCycle extends Conflict {
  override readonly name = 'TaskDependencyCycle';
  override readonly code = 'TASK_DEPENDENCY_CYCLE';
  override readonly details = [
    { field: 'dependsOnTaskId', message: 'It waits for this task already, by itself or through others' },
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
