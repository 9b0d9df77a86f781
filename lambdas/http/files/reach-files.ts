import { loadChatWorkspace } from '../../domain/chats/load-chat-workspace.js';
import type { NodeAccess } from '../../domain/nodes/node-access.js';
import { nodeTimeouts } from '../../domain/nodes/node-timeouts.js';
import { reachNode } from '../../domain/nodes/reach-node.js';
import type { Workspace } from '../../domain/workspaces/workspace.js';
import type { ByChat } from '../../edge/chat-route.js';
import { signingKeys } from '../../shared/clients/signing-keys.js';

export interface Reached {
  readonly access: NodeAccess;
  readonly workspace: Workspace;
}

/** Lets `ask` call the node of the chat's workspace, once the caller may. One table call, two where the node has moved. */
export async function reachFiles<Answer>(
  { chat, user, table, now }: Pick<ByChat, 'chat' | 'user' | 'table'> & { readonly now: Date },
  ask: (reached: Reached) => Promise<Answer>,
  timeoutMs: number = nodeTimeouts.read,
): Promise<Answer> {
  const workspace = await loadChatWorkspace(table, chat, user.userId);
  return reachNode(table, workspace, (address) =>
    ask({ workspace, access: { keys: signingKeys, address, now, timeoutMs } }),
  );
}
