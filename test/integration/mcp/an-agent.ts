import { type AgentSession, agentSessionItem } from '../../../lambdas/domain/agent-sessions/agent-session.js';
import { type Chat, chatItem, newChat } from '../../../lambdas/domain/chats/chat.js';
import { issueMcpToken, type McpTokenDraft } from '../../../lambdas/domain/mcp-tokens/mcp-token.js';
import { type Member, memberItem } from '../../../lambdas/domain/projects/member.js';
import { type Project, projectItem } from '../../../lambdas/domain/projects/project.js';
import { newTask, type Task, taskItem } from '../../../lambdas/domain/tasks/task.js';
import type { Workspace } from '../../../lambdas/domain/workspaces/workspace.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { aProject, putItem } from '../../support/project.js';
import { aWorkspace, putWorkspace } from '../../support/records.js';

export interface AgentOf {
  /** By default a new project. */
  readonly project?: Project;
  /** The task of the agent; without one, the session is a conversation. */
  readonly task?: Partial<Task>;
  /** The member of the token; by default the creator of the project. */
  readonly userId?: string;
}

export type Agent = Awaited<ReturnType<typeof anAgent>>;

/** An agent with its token, in a running workspace of a project. */
export async function anAgent(table: Table, now: Date, of: AgentOf = {}) {
  const { project = aProject(), task: asked } = of;
  const { projectId } = project;
  const { userId = project.userId } = of;
  const at = now.toISOString();
  const workspace = aWorkspace({ userId, projectId });
  const { workspaceId, generation } = workspace;
  const chatSessionId = newId();
  const session: AgentSession = {
    ...{ agentSessionId: newId(), workspaceId, generation, userId, projectId, chatId: chatSessionId },
    ...{ status: 'running', label: null, agentType: 'claude-code', stoppedAt: null },
    ...{ createdAt: at, updatedAt: at },
  };
  const { agentSessionId } = session;
  const task = asked && runningTask({ taskId: chatSessionId, projectId, userId, workspaceId }, asked, now);
  const chat: Chat = {
    ...newChat({ chatId: chatSessionId, projectId, userId, topic: 'A talk', workspaceId, taskId: null }, now),
    ...{ agentSessionId, taskId: task?.taskId ?? null },
  };
  const member: Member = { projectId, userId, role: 'maintainer', status: 'active', project, joinedAt: at };
  const put = {
    project: (change: Partial<Project> = {}) => putItem(table, projectItem({ ...project, ...change })),
    member: (change: Partial<Member> = {}) => putItem(table, memberItem({ ...member, ...change })),
    workspace: (change: Partial<Workspace> = {}) => putWorkspace(table, { ...workspace, ...change }),
    session: (change: Partial<AgentSession> = {}) =>
      putItem(table, agentSessionItem({ ...session, ...change })),
    task: async (change: Partial<Task> = {}) => task && putItem(table, taskItem({ ...task, ...change })),
  };
  for (const one of Object.values(put)) await one();
  await putItem(table, chatItem(chat));
  const draft: McpTokenDraft = {
    ...{ projectId, userId, workspaceId, generation, chatSessionId, agentSessionId },
    ...{ taskId: task?.taskId ?? null, taskMode: task?.taskMode ?? null },
  };
  return { project, task, draft, put, secret: await issueMcpToken(table, draft, now) };
}

type Ids = Pick<Task, 'taskId' | 'projectId' | 'userId' | 'workspaceId'>;

const runningTask = (ids: Ids, asked: Partial<Task>, now: Date): Task => ({
  ...newTask({ ...ids, title: 'Mend the gate' }, now),
  ...ids,
  ...{ chatId: ids.taskId, description: 'Mend the gate, and paint it', outputBranch: 'svc/mend-the-gate' },
  ...{ status: 'in_progress', executionStep: 'running', startedAt: now.toISOString() },
  ...asked,
});
