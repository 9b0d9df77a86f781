// DELETE /api/credentials/{provider}
import { deleteCredential } from '../../domain/credentials/stored-credentials.js';
import { sessionRoute } from '../../edge/session-route.js';
import { remove } from './contract.js';

export const handler = sessionRoute(remove, async ({ table, user, params }) => {
  await deleteCredential(table, { kind: 'user', id: user.userId }, params.provider);
  return { status: 200, body: { success: true } };
});
