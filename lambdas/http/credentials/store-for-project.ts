// POST /api/projects/{projectId}/credentials
import { capabilityRoute } from '../../edge/capability-route.js';
import { storeForProject } from './contract.js';
import { storeFor } from './store-for.js';

export const handler = capabilityRoute(storeForProject, (call) =>
  storeFor({ kind: 'project', id: call.params.projectId }, call),
);
