import { Conflict, NotFound } from '../../shared/errors.js';
import type { Workspace } from '../workspaces/workspace.js';
import { maxDependenciesPerProject, maxDependenciesPerTask } from './task-dependencies.js';
import { maxTasksPerProject } from './task-limits.js';
import type { TaskStatus } from './task-status.js';

export class TaskNotFound extends NotFound {
  override readonly name = 'TaskNotFound';

  constructor() {
    super('Task');
  }
}

export class ParentTaskNotFound extends NotFound {
  override readonly name = 'ParentTaskNotFound';
  override readonly details = [{ field: 'parentTaskId', message: 'The project has no such task' }];

  constructor() {
    super('Parent task');
  }
}

export class TaskDependencyNotFound extends NotFound {
  override readonly name = 'TaskDependencyNotFound';
  override readonly details = [{ field: 'dependsOnTaskId', message: 'The project has no such task' }];

  constructor() {
    super('Task of the dependency');
  }
}

/**
 * The present status of the task does not allow the operation. `hint` says which status or action
 * does.
 */
export class TaskNotInState extends Conflict {
  override readonly name = 'TaskNotInState';
  override readonly code = 'TASK_NOT_IN_STATE';

  constructor(
    readonly status: TaskStatus,
    hint: string,
  ) {
    super(`The task is ${status}. ${hint}`);
  }
}

export class TaskLimitReached extends Conflict {
  override readonly name = 'TaskLimitReached';
  override readonly code = 'TASK_LIMIT_REACHED';

  constructor() {
    super(
      `The project has ${maxTasksPerProject} tasks (limit ${maxTasksPerProject}). Delete tasks that you no longer need.`,
    );
  }
}

/**
 * The execution has ended while one of its steps still ran. The saga stops and end-run cleans up.
 */
export class TaskEnded extends Conflict {
  override readonly name = 'TaskEnded';

  constructor() {
    super('The execution of the task has ended');
  }
}

/** The workspace of a task will not run. The message is for the person. */
export class WorkspaceNotMade extends Conflict {
  override readonly name = 'WorkspaceNotMade';

  constructor(workspace: Pick<Workspace, 'status' | 'errorMessage'> | undefined) {
    const status = workspace?.status ?? 'deleted';
    super(
      workspace?.errorMessage ?? `The workspace of the task is ${status}. Run the task again for a new one.`,
    );
  }
}

/** The upload was never made or has expired. The message is for the person. */
export class AttachmentMissing extends Conflict {
  override readonly name = 'AttachmentMissing';

  constructor(filename: string) {
    super(
      `The attachment ${filename} is not in storage: it was not uploaded, or more than a week ago. Upload it and submit the task again.`,
    );
  }
}

/** The agent was not started. The message is for the person. */
export class FirstPromptNotDelivered extends Conflict {
  override readonly name = 'FirstPromptNotDelivered';

  constructor(outcome: 'failed' | 'ambiguous', reason: string) {
    super(
      outcome === 'ambiguous'
        ? `Delivery of the first message is unknown (${reason}), so it is not sent again. Read the session to see what the agent did, then run the task again.`
        : `The first message was not delivered to the agent (${reason}). Run the task again.`,
    );
  }
}

export class TaskConcurrencyReached extends Conflict {
  override readonly name = 'TaskConcurrencyReached';
  override readonly code = 'TASK_CONCURRENCY_REACHED';

  constructor(limit: number) {
    super(`Project has ${limit} active tasks (limit ${limit}). Wait until one ends, or cancel one.`);
  }
}

/** Limits subtasks, so that agents cannot start each other endlessly. */
export class SubTaskLimitReached extends Conflict {
  override readonly name = 'SubTaskLimitReached';
  override readonly code = 'SUB_TASK_LIMIT_REACHED';

  constructor(what: 'deep' | 'many', limit: number) {
    super(
      what === 'deep'
        ? `A subtask can be at most ${limit} levels deep (limit ${limit}). Do the work in this task.`
        : `The parent task has had ${limit} subtasks (limit ${limit}). Do the work in the parent task.`,
    );
  }
}

export class TaskBlocked extends Conflict {
  override readonly name = 'TaskBlocked';
  override readonly code = 'TASK_BLOCKED';

  constructor(titles: readonly string[]) {
    super(`The task waits for tasks that are not completed: ${titles.join(', ')}`);
  }
}

export class TaskDependencyCycle extends Conflict {
  override readonly name = 'TaskDependencyCycle';
  override readonly code = 'TASK_DEPENDENCY_CYCLE';
  override readonly details = [
    {
      field: 'dependsOnTaskId',
      message: 'That task waits for this one, directly or through other tasks',
    },
  ];

  constructor() {
    super('The dependency would close a cycle: the tasks would wait for each other');
  }
}

export class TaskDependencyLimit extends Conflict {
  override readonly name = 'TaskDependencyLimit';
  override readonly code = 'TASK_DEPENDENCY_LIMIT';

  constructor() {
    super(
      `A task has at most ${maxDependenciesPerTask} dependencies, a project ${maxDependenciesPerProject}. Remove dependencies that you no longer need.`,
    );
  }
}
