// POST /api/projects/{projectId}/sessions/{sessionId}/stop
import { endSession } from '../../domain/agent-sessions/end-session.js';
import { loadOwnSession } from '../../domain/agent-sessions/find-sessions.js';
import { endChat } from '../../domain/chats/change-chat.js';
import { stopSessionOnNode } from '../../domain/node-client/agent-session-calls.js';
import { nodeTimeouts } from '../../domain/node-client/node-access.js';
import { findNodeAddress } from '../../domain/node-client/node-address.js';
import { trySendWakeUp } from '../../domain/prompts/wake-up.js';
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

const sagas = sagasOf('delete-workspace');

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
  const { chat, user, table, now } = call;
  const { workspaceId, agentSessionId } = chat;
  if (!workspaceId || !agentSessionId) return endChat(table, chat.chatId, now);
  const own = { workspaceId, sessionId: agentSessionId, userId: user.userId };
  const { workspace, session } = await loadOwnSession(table, own);
  if (!session) return endChat(table, chat.chatId, now);
  const isThere = isUsable(workspace.status) && workspace.generation === session.generation;
  if (deletesWorkspace) await deleteWorkspace(call, workspace);
  else if (isThere && session.status === 'running') {
    const address = await findNodeAddress(table, workspace.nodeId);
    const access = { keys: signingKeys, address, now, timeoutMs: nodeTimeouts.request };
    await stopSessionOnNode(access, session);
  }
  await endSession(table, session, now);
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
