import { loadChatWorkspace } from '../../domain/chats/find-chat.js';
import type { NodeAccess } from '../../domain/node-client/node-access.js';
import { nodeTimeouts } from '../../domain/node-client/node-access.js';
import { callAtCurrentAddress } from '../../domain/node-client/node-address.js';
import type { Workspace } from '../../domain/workspaces/workspace.js';
import type { ByChat } from '../../edge/chat-route.js';
import { signingKeys } from '../../shared/clients/signing-keys.js';

export interface NodeOfWorkspace {
  readonly access: NodeAccess;
  readonly workspace: Workspace;
}

/**
 * Calls the node of the chat's workspace for a person who may use it. One table call, two when the
 * node has another address.
 */
export async function callWorkspaceNode<Answer>(
  { chat, user, table, now }: Pick<ByChat, 'chat' | 'user' | 'table'> & { readonly now: Date },
  ask: (reached: NodeOfWorkspace) => Promise<Answer>,
  timeoutMs: number = nodeTimeouts.read,
): Promise<Answer> {
  const workspace = await loadChatWorkspace(table, chat, user.userId);
  return callAtCurrentAddress(table, workspace, (address) =>
    ask({ workspace, access: { keys: signingKeys, address, now, timeoutMs } }),
  );
}
