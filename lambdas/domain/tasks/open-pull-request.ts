import { loadAccount } from '../code-host/grant.js';
import { openUserToken, type UserTokenSource } from '../code-host/open-user-token.js';
import { ensurePullRequest, nothingPushed, type OpenPullRequest } from '../code-host/pull-requests.js';
import type { Project } from '../projects/project.js';
import { changeTask } from './change-task.js';
import type { Task } from './task.js';

interface PullRequestOfTask {
  readonly task: Task;
  readonly project: Pick<Project, 'repository' | 'defaultBranch'>;
  /** The person who asks: it is opened with their own right at the code host. */
  readonly userId: string;
  readonly title: string | undefined;
  readonly body: string | undefined;
  readonly now: Date;
}

/**
 * Opens the pull request of a task's branch against the branch that it started from, and stores its
 * address in the task. An open one of the branch is returned as it is. Two table calls, one less
 * when the task has the address.
 *
 * @throws {nothingPushed | CodeHostAccessLost | CodeHostUnavailable | TaskNotFound}
 */
export async function openPullRequest(
  source: UserTokenSource,
  { task, project, userId, now, ...asked }: PullRequestOfTask,
): Promise<OpenPullRequest> {
  const { outputBranch: branch } = task;
  if (branch === null) throw nothingPushed('The task has no branch yet. Run the task first.');
  const { grant } = await loadAccount(source.table, userId);
  const token = await openUserToken(source, { grant, now });
  const { repository, defaultBranch } = project;
  const base = task.baseBranch ?? defaultBranch;
  const { title = task.title, body = draftOf(task) } = asked;
  const opened = await ensurePullRequest(source.codeHost, { token, repository, branch, base, title, body });
  if (task.outputPrUrl !== opened.url)
    await changeTask(source.table, { task, set: { outputPrUrl: opened.url }, now });
  return opened;
}

/** The summary of the agent, or the request of its task. */
const draftOf = ({ outputSummary, description }: Task): string => outputSummary ?? description ?? '';
