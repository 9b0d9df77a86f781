// DELETE /api/admin/credentials/{provider}
import { deleteCredential } from '../../domain/credentials/stored-credentials.js';
import { superadminRoute } from '../../edge/session-route.js';
import { removeOfPlatform } from './contract.js';

export const handler = superadminRoute(removeOfPlatform, async ({ table, params }) => {
  await deleteCredential(table, { kind: 'platform' }, params.provider);
  return { status: 200, body: { success: true } };
});
