import { Conflict, NotFound } from '../../shared/errors.js';
import type { Workspace } from '../workspaces/workspace.js';
import { maxDependenciesPerProject, maxDependenciesPerTask } from './task-dependencies.js';
import { maxDraftsPerPerson, maxTasksPerProject } from './task-limits.js';
import type { TaskStatus } from './task-status.js';

export class TaskNotFound extends NotFound {
  override readonly name = 'TaskNotFound';

  constructor() {
    super('Task');
  }
}

const noSuchTask = (field: string) => ({
  details: [{ field, message: 'The project has no task with this id.' }],
});

export const parentTaskNotFound = () => new NotFound('Parent task', noSuchTask('parentTaskId'));

export const taskDependencyNotFound = () =>
  new NotFound('Task of the dependency', noSuchTask('dependsOnTaskId'));

/**
 * The status of the task forbids the operation. `hint` names a status or action that is allowed.
 */
export class TaskNotInState extends Conflict {
  override readonly name = 'TaskNotInState';
  override readonly code = 'TASK_NOT_IN_STATE';

  constructor(
    readonly status: TaskStatus,
    hint: string,
  ) {
    super(`Task is ${status}. ${hint}`);
  }
}

export const taskLimitReached = () =>
  new Conflict(
    `Project has ${maxTasksPerProject} tasks (limit ${maxTasksPerProject}). Delete tasks that you no longer need.`,
    { code: 'TASK_LIMIT_REACHED' },
  );

export const draftLimitReached = () =>
  new Conflict(
    `You have ${maxDraftsPerPerson} tasks that were never run (limit ${maxDraftsPerPerson}). Run or delete one of them first.`,
    { code: 'DRAFT_LIMIT_REACHED' },
  );

/** The execution ended while one of its steps ran. The saga stops, and end-run cleans up. */
export class TaskEnded extends Conflict {
  override readonly name = 'TaskEnded';

  constructor() {
    super('The execution of the task has ended');
  }
}

/** The workspace of a task cannot run. Users see the message. */
export class WorkspaceNotMade extends Conflict {
  override readonly name = 'WorkspaceNotMade';

  constructor(workspace: Pick<Workspace, 'status' | 'errorMessage'> | undefined) {
    const status = workspace?.status ?? 'deleted';
    super(
      workspace?.errorMessage ??
        `Workspace of the task is ${status}. Run the task again to create a new workspace.`,
    );
  }
}

/** The file was never uploaded, or its upload has expired. Users see the message. */
export class AttachmentMissing extends Conflict {
  override readonly name = 'AttachmentMissing';

  constructor(filename: string) {
    super(
      `Attachment ${filename} is not in storage: the file was not uploaded, or the upload is older than a week. Upload the file and submit the task again.`,
    );
  }
}

/** The agent was not started. Users see the message. */
export class FirstPromptNotDelivered extends Conflict {
  override readonly name = 'FirstPromptNotDelivered';

  constructor(outcome: 'failed' | 'ambiguous', reason: string) {
    super(
      outcome === 'ambiguous'
        ? `Delivery of the first message is unknown (${reason}). Read the session to see what the agent did, then run the task again.`
        : `The first message was not delivered to the agent (${reason}). Run the task again.`,
    );
  }
}

export const taskConcurrencyReached = (limit: number) =>
  new Conflict(`Project has ${limit} active tasks (limit ${limit}). Wait until one ends, or cancel one.`, {
    code: 'TASK_CONCURRENCY_REACHED',
  });

export const subTaskDepthReached = (limit: number) =>
  new Conflict(`Parent task is ${limit} levels deep (limit ${limit}). Do the work in the parent task.`, {
    code: 'SUB_TASK_LIMIT_REACHED',
  });

export const subTaskCountReached = (limit: number) =>
  new Conflict(`Parent task has had ${limit} subtasks (limit ${limit}). Do the work in the parent task.`, {
    code: 'SUB_TASK_LIMIT_REACHED',
  });

export const taskBlocked = (titles: readonly string[]) =>
  new Conflict(
    `Task depends on tasks that are not completed: ${titles.join(', ')}. Complete them, or remove the dependencies.`,
    { code: 'TASK_BLOCKED' },
  );

export const taskDependencyCycle = () =>
  new Conflict('The dependency would close a cycle. Choose a task that does not depend on this one.', {
    code: 'TASK_DEPENDENCY_CYCLE',
    details: [
      { field: 'dependsOnTaskId', message: 'This task depends on yours, directly or through other tasks.' },
    ],
  });

export const taskDependencyLimit = () =>
  new Conflict(
    `A task can have at most ${maxDependenciesPerTask} dependencies, and a project ${maxDependenciesPerProject}. Remove dependencies that you no longer need.`,
    { code: 'TASK_DEPENDENCY_LIMIT' },
  );
