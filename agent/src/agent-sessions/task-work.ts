import type { GitTokenResult } from '../../../protocol/callbacks.js';
import type { TaskAfterReport, TaskStatusReport } from '../../../protocol/task-callbacks.js';
import { isUnavailable } from '../control-plane/callback-errors.js';
import type { Notice } from '../conversation/notice.js';
import type { WorkspaceCommands } from '../files/workspace-commands.js';
import { commitAndPush, type PushedWork } from '../git/commit-and-push.js';
import { ensurePullRequest } from '../git/pull-requests.js';
import type { Log } from '../shared/log.js';
import { hasRepository, type Workspace } from '../workspaces/workspace.js';
import type { SessionRecord } from './session-record.js';

interface TaskWorkDeps {
  readonly commands: WorkspaceCommands;
  readonly workspace: (workspaceId: string) => Workspace | null;
  readonly gitToken: (workspaceId: string) => Promise<GitTokenResult>;
  readonly report: (
    workspace: Workspace,
    task: { readonly projectId: string; readonly taskId: string },
    report: TaskStatusReport,
  ) => Promise<TaskAfterReport>;
  readonly log: Log;
}

/** Ends a turn of a task: commits, pushes, reports it, and opens the pull request it asks for. */
export interface TaskWork {
  /** Returns the notice for the chat, if there is one. Never rejects. */
  save(session: SessionRecord): Promise<Notice | null>;
}

const message = 'chore: save agent work';

/**
 * Every part can be repeated: a second save finds the commit, the pushed branch and the pull
 * request. What a crash leaves out, the end of the next turn does.
 */
export class GitTaskWork implements TaskWork {
  constructor(private readonly deps: TaskWorkDeps) {}

  async save(session: SessionRecord): Promise<Notice | null> {
    try {
      return await this.saveOrThrow(session);
    } catch (error) {
      const { workspaceId, sessionId, taskId } = session;
      this.deps.log.warn('The work of a task was not saved', { workspaceId, sessionId, taskId, error });
      return unsaved(reasonOf(error));
    }
  }

  private async saveOrThrow(session: SessionRecord): Promise<Notice | null> {
    const workspace = this.deps.workspace(session.workspaceId);
    const task = taskOf(session);
    if (!task || !workspace || !hasRepository(workspace.settings)) return null;
    const { commands, report } = this.deps;
    const { defaultBranch, baseBranch } = workspace.settings;
    const folder = session.workDir ?? commands.place(workspace).workDir;
    const wish = { defaultBranch: defaultBranch ?? baseBranch ?? 'main', message };
    const work = await commitAndPush(commands, { workspace, folder }, wish);
    const after = await report(workspace, task, reportOf(work));
    if (work.state === 'failed') return unsaved(work.reason);
    if (work.state === 'nothing' || !after.openPullRequest || after.outputPrUrl !== null) return null;
    const url = await this.openPullRequest(workspace, after, work.branch);
    if (typeof url !== 'string') return url;
    await report(workspace, task, { outputPrUrl: url });
    return { code: 'pull_request_opened', text: `The pull request of the task is ${url}` };
  }

  private async openPullRequest(
    { workspaceId, settings }: Workspace,
    { title, outputSummary }: TaskAfterReport,
    branch: string,
  ): Promise<string | Notice> {
    const base = settings.baseBranch ?? settings.defaultBranch ?? null;
    try {
      const token = await this.deps.gitToken(workspaceId);
      return await ensurePullRequest(token, { branch, base, title, body: outputSummary ?? '' });
    } catch (error) {
      this.deps.log.warn('The pull request of a task was not opened', { workspaceId, error });
      const text = `The work is pushed to ${branch}, but its pull request was not opened. ${reasonOf(error)}`;
      return { code: 'pull_request_not_opened', text };
    }
  }
}

/** Null: the session works on no task, or in a conversation. */
function taskOf({ projectId, taskId, taskMode }: SessionRecord) {
  return projectId !== null && taskId !== null && taskMode === 'task' ? { projectId, taskId } : null;
}

function reasonOf(error: unknown): string {
  if (isUnavailable(error)) return 'The control plane does not answer.';
  return error instanceof Error ? error.message : String(error);
}

function reportOf(work: PushedWork): TaskStatusReport {
  if (work.state !== 'pushed') return { gitPushResult: { pushed: false } };
  const { branch, commitSha } = work;
  return { outputBranch: branch, gitPushResult: { pushed: true, branch, commitSha } };
}

function unsaved(reason: string): Notice {
  return { code: 'work_not_pushed', text: `The work of this turn is not pushed. ${reason}` };
}
