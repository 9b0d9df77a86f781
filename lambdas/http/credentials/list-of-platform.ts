// GET /api/admin/credentials
import { listCredentials } from '../../domain/credentials/stored-credentials.js';
import { superadminRoute } from '../../edge/session-route.js';
import { listOfPlatform } from './contract.js';
import { credentialView } from './credential-view.js';

export const handler = superadminRoute(listOfPlatform, async ({ table }) => {
  const credentials = await listCredentials(table, { kind: 'platform' });
  return { status: 200, body: { credentials: credentials.map(credentialView) } };
});
