// POST /api/projects/{projectId}/credentials
import { capabilityRoute } from '../../edge/capability-route.js';
import { storeForProject } from './contract.js';
import { storeCredentialOf } from './store-credential.js';

export const handler = capabilityRoute(storeForProject, (call) =>
  storeCredentialOf({ kind: 'project', id: call.params.projectId }, call),
);
