// GET /api/credentials
import { listCredentials } from '../../domain/credentials/stored-credentials.js';
import { sessionRoute } from '../../edge/session-route.js';
import { list } from './contract.js';
import { credentialView } from './credential-view.js';

export const handler = sessionRoute(list, async ({ table, user }) => {
  const credentials = await listCredentials(table, { kind: 'user', id: user.userId });
  return { status: 200, body: { credentials: credentials.map(credentialView) } };
});
