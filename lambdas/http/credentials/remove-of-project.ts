// DELETE /api/projects/{projectId}/credentials/{provider}
import { deleteCredential } from '../../domain/credentials/stored-credentials.js';
import { capabilityRoute } from '../../edge/capability-route.js';
import { removeOfProject } from './contract.js';

export const handler = capabilityRoute(removeOfProject, async ({ table, params }) => {
  await deleteCredential(table, { kind: 'project', id: params.projectId }, params.provider);
  return { status: 200, body: { success: true } };
});
