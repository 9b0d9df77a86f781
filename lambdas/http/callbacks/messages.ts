// POST /api/workspaces/{workspaceId}/messages
import { storeBatch } from '../../domain/chats/store-batch.js';
import { workspaceCallbackRoute } from '../../edge/callback-routes.js';
import { uploads } from '../../shared/clients/uploads.js';
import { InvalidRequest } from '../../shared/errors.js';
import { messages as contract } from './agent-contract.js';
import { followActivity } from './follow-activity.js';

export const handler = workspaceCallbackRoute(contract, async (call) => {
  const { body, workspaceId, nodeId, generation, table, now } = call;
  const [first] = body.messages;
  const isMixed = body.messages.some(({ sessionId }) => sessionId !== first?.sessionId);
  if (!first || isMixed || body.generation !== generation)
    throw new InvalidRequest('The request is invalid', [
      {
        field: 'body',
        message:
          'All messages of a batch must have the same sessionId, and its generation must be that of the token',
      },
    ]);
  const batch = { ...body, workspaceId, nodeId, chatId: first.sessionId };
  const { result, active } = await storeBatch(table, batch, { contents: uploads, now });
  if (active) await followActivity(call, active);
  return { status: 200, body: result };
});
