// GET /api/projects/{projectId}/credentials
import { listCredentials } from '../../domain/credentials/stored-credentials.js';
import { capabilityRoute } from '../../edge/capability-route.js';
import { listOfProject } from './contract.js';
import { credentialView } from './credential-view.js';

export const handler = capabilityRoute(listOfProject, async ({ table, params }) => {
  const credentials = await listCredentials(table, { kind: 'project', id: params.projectId });
  return { status: 200, body: { credentials: credentials.map(credentialView) } };
});
