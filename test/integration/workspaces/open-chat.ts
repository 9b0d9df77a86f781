import { agentSessionItem } from '../../../lambdas/domain/agent-sessions/agent-session.js';
import { type Chat, chatItem, newChat } from '../../../lambdas/domain/chats/chat.js';
import { projectItem } from '../../../lambdas/domain/projects/project.js';
import type { Workspace } from '../../../lambdas/domain/workspaces/workspace.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { aProject, putItem } from '../../support/project.js';

/** The ids of a chat, for the row of its workspace. */
export const chatPlace = () => ({ projectId: newId(), agentSessions: new Set([newId()]) });

/** Writes the open chat, session and project of a workspace that was made with `chatPlace`. */
export async function putOpenChat(
  table: Table,
  { workspaceId, userId, projectId, agentSessions }: Workspace,
  { row = {}, at }: { readonly row?: Partial<Chat>; readonly at: Date },
): Promise<Chat> {
  const [agentSessionId = ''] = agentSessions ?? [];
  const project = aProject({ projectId: projectId ?? '', userId });
  const ids = { chatId: newId(), projectId: project.projectId, userId, workspaceId };
  const chat = { ...newChat({ ...ids, topic: null, taskId: null }, at), agentSessionId, ...row };
  const time = at.toISOString();
  await putItem(table, projectItem(project));
  await putItem(table, chatItem(chat));
  await putItem(
    table,
    agentSessionItem({
      ...{ ...ids, agentSessionId, generation: 1, status: 'running', label: null, agentType: null },
      ...{ createdAt: time, updatedAt: time, stoppedAt: null },
    }),
  );
  return chat;
}
