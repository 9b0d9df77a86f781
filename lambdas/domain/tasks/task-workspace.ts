import { Unavailable } from '../../shared/errors.js';
import type { Table } from '../../shared/table.js';
import { CodeHostAccessLost } from '../code-host/errors.js';
import { Grant, grantKey } from '../code-host/grant.js';
import { openUserToken, type UserTokenSource } from '../code-host/open-user-token.js';
import { verifyRepositoryAccess } from '../code-host/repository-access.js';
import type { ResolvedLaunch } from '../launch/resolve-launch.js';
import type { Offer } from '../nodes/instance-types.js';
import { Project, projectKey } from '../projects/project.js';
import { getItems } from '../records/batch-items.js';
import { pendingReconcileItem } from '../records/pending-reconcile.js';
import { accountSuspended } from '../users/errors.js';
import { isSuspended, User, userKey } from '../users/user.js';
import { findWorkspace, type WorkspaceGeneration } from '../workspaces/find-workspace.js';
import { gitAuthorOf, newWorkspace } from '../workspaces/insert-workspace.js';
import { type Workspace, workspaceItem } from '../workspaces/workspace.js';
import { countWorkspace, workspaceLimitReached } from '../workspaces/workspace-limits.js';
import { isUsable } from '../workspaces/workspace-status.js';
import { advanceTask, changeTask, moveTask } from './change-task.js';
import { TaskNotFound, WorkspaceNotMade } from './errors.js';
import { loadRun, requireRun, type TaskRun } from './load-task.js';
import type { Task } from './task.js';
import { bySystem } from './task-events.js';
import { reserveForTask } from './task-reservation.js';

/** Each execution creates its own workspace, so that its generation is the first. */
const generation = 1;

/**
 * Creates the workspace of an execution on the task's branch, with the rights of the task's
 * creator. Workspace and `workspaceId` of the task are one transaction: a repeat returns the same
 * workspace.
 *
 * @throws {TaskEnded | TaskNotFound | accountSuspended | CodeHostAccessLost | CodeHostUnavailable}
 * @throws {CodeHostNotFound | HostRequirementsTooLarge | workspaceLimitReached}
 */
export async function createTaskWorkspace(
  source: UserTokenSource,
  run: TaskRun,
  { now, newId, offer }: { readonly now: Date; readonly newId: () => string; readonly offer: Offer },
): Promise<WorkspaceGeneration> {
  const { table } = source;
  const task = await loadRun(table, run);
  if (task.workspaceId !== null) return { workspaceId: task.workspaceId, generation };
  const workspace = await workspaceOf(source, task, { workspaceId: newId(), now, offer });
  const { workspaceId } = workspace;
  await changeTask(table, {
    task,
    set: { workspaceId, resolvedReservation: workspace.resolvedReservation },
    guard: (present) => {
      requireRun(present, run);
      if (present.workspaceId !== null) throw new Unavailable('Another attempt has created the workspace');
    },
    also: [
      { write: { put: workspaceItem(workspace), when: { exists: false } } },
      { write: { update: countWorkspace(workspace.userId) }, refused: workspaceLimitReached },
      {
        write: {
          put: pendingReconcileItem({ kind: 'WORKSPACE', id: workspaceId, marker: now.toISOString() }),
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
  { workspaceId, now, offer }: { readonly workspaceId: string; readonly now: Date; readonly offer: Offer },
): Promise<Workspace> {
  const { userId, projectId, title, outputBranch, launch, taskId, requestedNodeId } = task;
  const keys = { project: projectKey(projectId), grant: grantKey(userId), user: userKey(userId) };
  const find = await getItems(source.table, Object.values(keys));
  const [project, grant, user] = [find(keys.project), find(keys.grant), find(keys.user)];
  if (!project || !launch) throw new TaskNotFound();
  if (!user) throw new CodeHostAccessLost('The creator of the task no longer has an account');
  if (isSuspended(user)) throw accountSuspended();
  const { installationId, repository, defaultBranch } = Project.parse(project);
  const baseBranch = task.baseBranch ?? defaultBranch;
  const token = await openUserToken(source, { grant: grant && Grant.parse(grant), now });
  const [found, reserved] = await Promise.all([
    verifyRepositoryAccess(source.codeHost, token, repository),
    reserveForTask(source.codeHost, { task, launch, offer, of: { token, repository, ref: baseBranch } }),
  ]);
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
    ...reserved,
    gitAuthor: gitAuthorOf(User.parse(user)),
  };
  return {
    ...newWorkspace(asked, now),
    ...{ taskId, baseBranch, ...containerOf(launch) },
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

interface WorkspaceCheck {
  readonly runs: boolean;
  /** Number of files to copy into it. */
  readonly attachments: number;
}

/**
 * Checks whether the workspace of an execution runs, and moves the task to `delegated` if so. It
 * reads the record, so that a lost report has no effect.
 *
 * @throws {WorkspaceNotMade} it will not come to run
 * @throws {TaskEnded}
 */
export async function checkTaskWorkspace(table: Table, run: TaskRun, now: Date): Promise<WorkspaceCheck> {
  const task = await loadRun(table, run);
  const workspace = task.workspaceId ? await findWorkspace(table, task.workspaceId) : undefined;
  if (!workspace) throw new WorkspaceNotMade(undefined);
  if (isUsable(workspace.status)) {
    const guard = (present: Task) => requireRun(present, run);
    const { task: moved } = await moveTask(table, { task, to: 'delegated', actor: bySystem, guard, now });
    await advanceTask(table, { task: moved, step: 'workspace_ready', guard, now });
    return { runs: true, attachments: task.attachments.length };
  }
  if (!['pending', 'provisioning', 'rebuilding'].includes(workspace.status))
    throw new WorkspaceNotMade(workspace);
  return { runs: false, attachments: 0 };
}
