// POST /api/projects/{projectId}/sessions/{sessionId}/files/upload-address
import * as z from 'zod/mini';
import { loadChatWorkspace } from '../../domain/chats/find-chat.js';
import { findNodeAddress } from '../../domain/node-client/node-address.js';
import { transferAddress } from '../../domain/node-client/transfer-address.js';
import { chatRoute } from '../../edge/chat-route.js';
import { signingKeys } from '../../shared/clients/signing-keys.js';
import { readEnv } from '../../shared/env.js';
import { uploadAddress } from './contract.js';

const env = readEnv({ WORKSPACE_URL_TEMPLATE: z.string() });

export const handler = chatRoute(uploadAddress, async ({ chat, user, table, now }) => {
  const workspace = await loadChatWorkspace(table, chat, user.userId);
  // Reads the row of the node, because a restarted agent may have another port.
  const address = await findNodeAddress(table, workspace.nodeId);
  const { url, expiresAt } = await transferAddress(signingKeys, {
    workspace,
    address,
    person: user,
    transfer: 'upload',
    urlTemplate: env.WORKSPACE_URL_TEMPLATE,
    now,
  });
  return { status: 200, body: { url, expiresAt: expiresAt * 1000 } };
});
