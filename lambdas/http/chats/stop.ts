// POST /api/projects/{projectId}/sessions/{sessionId}/stop
import type { AgentSession } from '../../domain/agent-sessions/agent-session.js';
import { endSession } from '../../domain/agent-sessions/end-session.js';
import { loadOwnSession } from '../../domain/agent-sessions/find-sessions.js';
import { endChat } from '../../domain/chats/change-chat.js';
import { stopSessionOnNode } from '../../domain/node-client/agent-session-calls.js';
import { nodeTimeouts } from '../../domain/node-client/node-access.js';
import { findNodeAddress } from '../../domain/node-client/node-address.js';
import { trySendWakeUp } from '../../domain/prompts/wake-up.js';
import { type Find, getItems, type Item } from '../../domain/records/batch-items.js';
import { endActiveTask } from '../../domain/tasks/finish-task.js';
import { Task, taskKey } from '../../domain/tasks/task.js';
import { claimDeletion } from '../../domain/workspaces/claim-deletion.js';
import type { Workspace } from '../../domain/workspaces/workspace.js';
import { isUsable } from '../../domain/workspaces/workspace-status.js';
import type { ByChat } from '../../edge/chat-route.js';
import type { Call } from '../../edge/route.js';
import { sagasOf } from '../../edge/sagas.js';
import { wakeUpQueues } from '../../edge/wake-up-queues.js';
import { signingKeys } from '../../shared/clients/signing-keys.js';
import { stop } from './contract.js';
import { ownChatRoute } from './own-chat-route.js';

const sagas = sagasOf('delete-workspace', 'end-run');

export const handler = ownChatRoute('chat.stop', stop, async (call) => {
  const { chat, log, newId } = call;
  // The workspace of a task serves only that task; a person's workspace may have other sessions.
  const workspaceDeleted = chat.taskId !== null && chat.workspaceId !== null;
  if (chat.status !== 'stopped') {
    await end(call, workspaceDeleted);
    // The worker then marks the queued messages as failed.
    if (chat.queuedPrompts > 0)
      await trySendWakeUp({ wakeUpQueues, log }, { chatId: chat.chatId, wakeUpId: newId() });
  }
  return { status: 200, body: { status: 'stopped', workspaceDeleted } };
});

async function end(call: Call & ByChat, deletesWorkspace: boolean): Promise<void> {
  const { chat, table, now } = call;
  const { task, workspace, session } = await load(call);
  // First, so that a retry after a crash still finds the chat to stop.
  if (task) await endTask(call, task);
  if (!workspace || !session) return endChat(table, chat.chatId, now);
  if (deletesWorkspace) await deleteWorkspace(call, workspace);
  else await stopOnNode(call, workspace, session);
  await endSession(table, session, { now });
}

interface Loaded {
  readonly workspace?: Workspace;
  readonly session?: AgentSession | undefined;
  readonly task?: Item | undefined;
}

/** One table call, or none. */
async function load({ chat, user, table }: Call & ByChat): Promise<Loaded> {
  const { workspaceId, agentSessionId: sessionId, projectId, taskId } = chat;
  const key = taskId === null ? undefined : taskKey(projectId, taskId);
  const keys = key ? [key] : [];
  const taskIn = (find: Find) => ({ task: key && find(key) });
  if (workspaceId && sessionId) {
    const own = { workspaceId, sessionId, userId: user.userId };
    const { find, ...loaded } = await loadOwnSession(table, own, keys);
    return { ...loaded, ...taskIn(find) };
  }
  return key ? taskIn(await getItems(table, keys)) : {};
}

async function stopOnNode(
  { table, now }: Call & ByChat,
  workspace: Workspace,
  session: AgentSession,
): Promise<void> {
  const isThere = isUsable(workspace.status) && workspace.generation === session.generation;
  if (!isThere || session.status !== 'running') return;
  const address = await findNodeAddress(table, workspace.nodeId);
  const access = { keys: signingKeys, address, now, timeoutMs: nodeTimeouts.request };
  await stopSessionOnNode(access, session);
}

async function endTask({ user, table, now, log }: Call & ByChat, item: Item): Promise<void> {
  const actor = { actorType: 'user', actorId: user.userId } as const;
  const message = 'Its session was stopped.';
  const ending = { to: 'cancelled', completesConversation: true, message, actor, now } as const;
  await endActiveTask({ table, sagas, log }, Task.parse(item), ending);
}

async function deleteWorkspace({ table, now, log }: Call & ByChat, workspace: Workspace): Promise<void> {
  const { workspaceId, generation } = workspace;
  const claim = await claimDeletion(table, workspace, now);
  if (claim.outcome === 'already_deleted') return;
  const { attempt } = claim;
  await sagas.startDeleteWorkspace({ workspaceId, generation, attempt }).catch((error: unknown) => {
    // The claim is durable: the sweep continues from it.
    log.error('Deletion not started; the sweep will start it', { workspaceId, error });
  });
}
