// POST /api/projects/{projectId}/sessions/{sessionId}/cancel
import { loadOwnSession } from '../../domain/agent-sessions/find-sessions.js';
import { nodeTimeouts } from '../../domain/node-client/node-access.js';
import { findNodeAddress } from '../../domain/node-client/node-address.js';
import { NodePrompts } from '../../domain/node-client/prompt-calls.js';
import { confirmLast } from '../../domain/prompts/confirmation.js';
import { isUsable } from '../../domain/workspaces/workspace-status.js';
import { signingKeys } from '../../shared/clients/signing-keys.js';
import { cancel } from './contract.js';
import { ownChatRoute } from './own-chat-route.js';

const idle = { status: 200, body: { status: 'idle', message: 'The agent has no running turn.' } } as const;

export const handler = ownChatRoute('chat.cancel', cancel, async ({ chat, user, table, now }) => {
  const { workspaceId, agentSessionId } = chat;
  if (chat.status !== 'active' || !workspaceId || !agentSessionId) return idle;
  const own = { workspaceId, sessionId: agentSessionId, userId: user.userId };
  const { workspace, session } = await loadOwnSession(table, own);
  if (session?.status !== 'running' || !isUsable(workspace.status)) return idle;
  const address = await findNodeAddress(table, workspace.nodeId);
  const access = { keys: signingKeys, address, now, timeoutMs: nodeTimeouts.request };
  const node = await NodePrompts.open(access, session);
  const cancelled = await node.cancel();
  const { unconfirmedId: deliveryId } = chat;
  // The turn may have ended before its agent received the prompt: only its receipt says so.
  if (cancelled.status === 'cancelled' && deliveryId !== undefined)
    await confirmLast(table, { keys: signingKeys, now }, { chat, deliveryId });
  return { status: 200, body: cancelled };
});
