// POST /api/workspaces/{workspaceId}/messages
import { storeBatch } from '../../domain/chats/store-batch.js';
import { workspaceCallbackRoute } from '../../edge/workspace-callback-route.js';
import { uploads } from '../../shared/clients/uploads.js';
import { InvalidRequest } from '../../shared/errors.js';
import { messages as contract } from './contract.js';

export const handler = workspaceCallbackRoute(contract, async (call) => {
  const { body, workspaceId, nodeId, generation, table, now } = call;
  const [first] = body.messages;
  const isMixed = body.messages.some(({ sessionId }) => sessionId !== first?.sessionId);
  if (!first || isMixed || body.generation !== generation)
    throw new InvalidRequest('The request is invalid', [
      { field: 'body', message: 'One batch is of one session, and of the generation of its token' },
    ]);
  const { streamId, messages } = body;
  const batch = { workspaceId, nodeId, generation, streamId, chatId: first.sessionId, messages };
  return { status: 200, body: await storeBatch(table, batch, { contents: uploads, now }) };
});
