import { chatItem, newChat } from '../../../lambdas/domain/chats/chat.js';
import { projectItem } from '../../../lambdas/domain/projects/project.js';
import { changeItem } from '../../../lambdas/domain/records/change-item.js';
import { newTask, type Task, taskItem } from '../../../lambdas/domain/tasks/task.js';
import { userKey } from '../../../lambdas/domain/users/user.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { putItem } from '../../support/project.js';
import type { Subject, ToolRow } from './tool-rows.js';
import type { TwoMembers } from './two-members.js';

type Arrange = (two: TwoMembers) => Promise<unknown>;

const becomes =
  (change: Parameters<TwoMembers['putMember']>[1]): Arrange =>
  (two) =>
    two.putMember(two.bob, change);

/** Each way in which the caller's token ends. No tool works then, whatever HTTP allows. */
export const endings: Readonly<Record<string, Arrange>> = {
  'the member was removed': becomes({ status: 'removed' }),
  'the member is suspended': becomes({ status: 'suspended' }),
  'the person is suspended everywhere': ({ table, bob }) =>
    changeItem(table, { key: userKey(bob.userId), set: { status: 'suspended' }, when: { exists: true } }),
  'the project is detached': ({ table, project }) =>
    putItem(table, projectItem({ ...project, status: 'detached' })),
  'the task has ended': ({ bob }) => bob.agent.put.task({ status: 'cancelled' }),
  'the agent session has ended': ({ bob }) => bob.agent.put.session({ status: 'stopped' }),
  'the workspace was restarted': ({ bob }) => bob.agent.put.workspace({ generation: 2 }),
  'the session is of another member': ({ bob, alice }) => bob.agent.put.task({ userId: alice.userId }),
};

/** Whose record an argument names. */
export const strangers = ['of another member', 'of another project'] as const;
export type Stranger = (typeof strangers)[number];

/** The caller may only read. */
export const demote: Arrange = becomes({ role: 'viewer' });

/** What a call of this row is about: the caller's own, or a new record below the caller's task. */
export async function subjectOf(two: TwoMembers, row: ToolRow, stranger?: Stranger): Promise<Subject> {
  const { taskId, workspaceId } = two.bob.agent.draft;
  const ownTaskId = String(taskId);
  if (row.about === 'own') return { taskId: ownTaskId, sessionId: ownTaskId, workspaceId, ownTaskId };
  const projectId = stranger === 'of another project' ? newId() : two.project.projectId;
  const { userId } = stranger === 'of another member' ? two.alice : two.bob;
  const id = newId();
  const now = new Date();
  const task: Task = {
    ...newTask({ taskId: id, projectId, userId, title: 'Paint the gate' }, now),
    ...{ parentTaskId: ownTaskId, dispatchDepth: 1, chatId: id, run: 1, workspaceId },
    ...{ status: 'in_progress', executionStep: 'running', ...row.task },
  };
  const chat = { chatId: id, projectId, userId, topic: null, workspaceId, taskId: id };
  await putItem(two.table, taskItem(task));
  await putItem(two.table, chatItem({ ...newChat(chat, now), agentSessionId: newId() }));
  return { taskId: id, sessionId: row.inOwnSession ? ownTaskId : id, workspaceId, ownTaskId };
}
