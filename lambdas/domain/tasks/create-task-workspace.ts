import { Unavailable } from '../../shared/errors.js';
import { CodeHostAccessLost } from '../code-host/errors.js';
import { Grant, grantKey } from '../code-host/grant.js';
import { openUserToken, type UserTokenSource } from '../code-host/open-user-token.js';
import { verifyRepositoryAccess } from '../code-host/verify-repository-access.js';
import type { ResolvedLaunch } from '../launch/resolve-launch.js';
import { Project, projectKey } from '../projects/project.js';
import { getItems } from '../records/batch-items.js';
import { unsettledItem } from '../records/unsettled.js';
import { accountSuspended } from '../users/errors.js';
import { isSuspended, User, userKey } from '../users/user.js';
import type { WorkspaceGeneration } from '../workspaces/find-workspace.js';
import { gitAuthorOf, newWorkspace } from '../workspaces/insert-workspace.js';
import { type Workspace, workspaceItem } from '../workspaces/workspace.js';
import { changeTask } from './change-task.js';
import { TaskNotFound } from './errors.js';
import type { Task } from './task.js';
import { loadRun, requireRun, type TaskRun } from './task-run.js';

/** A task makes a workspace once an execution, so it has lived no life before. */
const generation = 1;

/**
 * Makes the workspace of an execution: on the task's own branch, in the right of who the task is of. The row and the
 * task's word for it are one transaction, so that a repeat finds the one that there is.
 *
 * @throws {TaskEnded | TaskNotFound | accountSuspended | CodeHostAccessLost | CodeHostUnavailable | CodeHostNotFound}
 */
export async function createTaskWorkspace(
  source: UserTokenSource,
  run: TaskRun,
  { now, newId }: { readonly now: Date; readonly newId: () => string },
): Promise<WorkspaceGeneration> {
  const { table } = source;
  const task = await loadRun(table, run);
  if (task.workspaceId !== null) return { workspaceId: task.workspaceId, generation };
  const workspace = await workspaceOf(source, task, { workspaceId: newId(), now });
  const { workspaceId } = workspace;
  await changeTask(table, {
    task,
    set: { workspaceId },
    guard: (present) => {
      requireRun(present, run);
      if (present.workspaceId !== null) throw new Unavailable('Another attempt has made the workspace');
    },
    also: [
      { write: { put: workspaceItem(workspace), when: { exists: false } } },
      {
        write: {
          put: unsettledItem({ kind: 'WORKSPACE', id: workspaceId, mark: now.toISOString() }),
          when: {},
        },
      },
    ],
    now,
  });
  return { workspaceId, generation };
}

async function workspaceOf(
  source: UserTokenSource,
  task: Task,
  { workspaceId, now }: { readonly workspaceId: string; readonly now: Date },
): Promise<Workspace> {
  const { userId, projectId, title, outputBranch, launch, taskId, requestedNodeId } = task;
  const keys = { project: projectKey(projectId), grant: grantKey(userId), user: userKey(userId) };
  const find = await getItems(source.table, Object.values(keys));
  const [project, grant, user] = [find(keys.project), find(keys.grant), find(keys.user)];
  if (!project || !launch) throw new TaskNotFound();
  if (!user) throw new CodeHostAccessLost('Who the task is of has no account any more');
  if (isSuspended(user)) throw accountSuspended();
  const { installationId, repository, defaultBranch } = Project.parse(project);
  const token = await openUserToken(source, { grant: grant && Grant.parse(grant), now });
  const found = await verifyRepositoryAccess(source.codeHost, token, repository);
  const asked = {
    workspaceId,
    userId,
    projectId,
    displayName: title,
    repository: found.fullName,
    cloneUrl: found.cloneUrl,
    installationId,
    branch: outputBranch,
    repositoryPermission: found.permission,
    repositoryCheckedAt: now.toISOString(),
    resourceRequirements: requirementsOf(launch),
    gitAuthor: gitAuthorOf(User.parse(user)),
  };
  return {
    ...newWorkspace(asked, now),
    ...{ taskId, baseBranch: defaultBranch, ...containerOf(launch) },
    ...(requestedNodeId ? { wantedNodeId: requestedNodeId } : {}),
  };
}

function requirementsOf({ resourceRequirements: wanted }: ResolvedLaunch) {
  return {
    minVcpu: wanted.minVcpu.value,
    minMemoryGb: wanted.minMemoryGb.value,
    minDiskGb: wanted.minDiskGb.value,
    exclusiveNode: wanted.exclusiveNode.value,
    maxCoTenants: wanted.maxCoTenants.value,
  };
}

const containerOf = ({ workspaceProfile, devcontainerConfigName }: ResolvedLaunch) => ({
  ...(workspaceProfile.value === 'lightweight' ? { lightweight: true } : {}),
  ...(devcontainerConfigName.value === null ? {} : { devcontainerConfigName: devcontainerConfigName.value }),
});
