import type { z } from 'zod/mini';
import type { Table } from '../../shared/table.js';
import { AgentSession, agentSessionKey } from '../agent-sessions/agent-session.js';
import { Chat, chatKey } from '../chats/chat.js';
import { Member, memberKey } from '../projects/member.js';
import { Project, projectKey } from '../projects/project.js';
import { getItems, type Item } from '../records/batch-items.js';
import { changeItem } from '../records/change-item.js';
import { Task, taskKey } from '../tasks/task.js';
import { hasEnded } from '../tasks/task-status.js';
import { isSuspended, userKey } from '../users/user.js';
import { Workspace, workspaceKey } from '../workspaces/workspace.js';
import { isUsable } from '../workspaces/workspace-status.js';
import { mcpTokenInvalid } from './errors.js';
import {
  type ClaimedIds,
  expiryOf,
  hashMcpSecret,
  idsOfSecret,
  McpToken,
  mcpTokenKey,
  mcpTokenSeconds,
} from './mcp-token.js';

/** The calling agent: its token, and the present records that the token depends on. */
export interface McpCaller {
  readonly token: McpToken;
  /** The person for whom the agent works. */
  readonly userId: string;
  readonly workspace: Workspace;
  readonly project: Project;
  readonly member: Member;
  readonly chat: Chat;
  /** Null in a conversation. */
  readonly task: Task | null;
  /** Its task was just completed: only a repeat of the completing call gets an answer. */
  readonly hasEnded: boolean;
}

/** How long a repeat of the call that completed a task gets its answer. */
const repeatMs = 5 * 60_000;

/**
 * The caller of a secret. The token is valid only while all records it depends on are: it ends with
 * a suspended person, a removed member, and an ended task, session or workspace. After a completed
 * task, the call can be repeated. One table call, and one more about every four hours of use.
 *
 * @throws {mcpTokenInvalid}
 */
export async function verifyMcpToken(
  table: Table,
  { secret, now }: { readonly secret: string; readonly now: Date },
): Promise<McpCaller> {
  const ids = idsOfSecret(secret);
  if (!ids) throw mcpTokenInvalid();
  const { token, session, ...caller } = await read(table, ids, hashMcpSecret(secret));
  const { workspace, chat, task } = caller;
  const { userId } = token;
  const isGood =
    token.expiresAt > now.getTime() / 1000 &&
    workspace.generation === token.generation &&
    // A record of another person's would let the token act with that person's rights.
    [workspace, chat, task ?? chat].every((record) => record.userId === userId) &&
    caller.project.status === 'active' &&
    caller.member.status === 'active';
  if (!isGood) throw mcpTokenInvalid();
  // Workspace and session of a completed task may have ended: the repeat gets its answer all the
  // same.
  if (wasJustCompleted(task, now)) return { token, userId, ...caller, hasEnded: true };
  const isLiving =
    isUsable(workspace.status) && session.status === 'running' && !(task && hasEnded(task.status));
  if (!isLiving) throw mcpTokenInvalid();
  await renew(table, token, now);
  return { token, userId, ...caller, hasEnded: false };
}

function wasJustCompleted(task: Task | null, now: Date): boolean {
  if (task?.status !== 'completed' || task.completedAt === null) return false;
  return now.getTime() - Date.parse(task.completedAt) < repeatMs;
}

async function read(table: Table, ids: ClaimedIds, tokenHash: string) {
  const { userId, projectId, workspaceId, agentSessionId, chatSessionId } = ids;
  const keys = {
    token: mcpTokenKey(workspaceId, tokenHash),
    workspace: workspaceKey(workspaceId),
    session: agentSessionKey(workspaceId, agentSessionId),
    project: projectKey(projectId),
    member: memberKey(projectId, userId),
    chat: chatKey(chatSessionId),
    // A task has the id of its chat.
    task: taskKey(projectId, chatSessionId),
    user: userKey(userId),
  };
  const find = await getItems(table, Object.values(keys));
  if (isSuspended(find(keys.user))) throw mcpTokenInvalid();
  const token = parsed(McpToken, find(keys.token));
  return {
    token,
    workspace: parsed(Workspace, find(keys.workspace)),
    session: parsed(AgentSession, find(keys.session)),
    project: parsed(Project, find(keys.project)),
    member: parsed(Member, find(keys.member)),
    chat: parsed(Chat, find(keys.chat)),
    task: token.taskId === null ? null : parsed(Task, find(keys.task)),
  };
}

/** A missing record makes the token invalid. */
function parsed<Schema extends z.ZodMiniType>(schema: Schema, item: Item | undefined): z.output<Schema> {
  if (!item) throw mcpTokenInvalid();
  return schema.parse(item);
}

/** Extends the token only after half of its time, so that most calls write nothing. */
async function renew(table: Table, token: McpToken, now: Date): Promise<void> {
  const isDue = now.getTime() - Date.parse(token.lastRefreshedAt) > (mcpTokenSeconds / 2) * 1_000;
  const expiresAt = expiryOf(token, now);
  if (!isDue || expiresAt <= token.expiresAt) return;
  await changeItem(table, {
    key: mcpTokenKey(token.workspaceId, token.tokenHash),
    set: { lastRefreshedAt: now.toISOString(), expiresAt },
    when: { exists: true },
  });
}
