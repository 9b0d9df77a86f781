// GET /api/projects/{projectId}/personal-credentials
import { personalCredentialsOf } from '../../domain/credentials/personal-credentials.js';
import { capabilityRoute } from '../../edge/capability-route.js';
import { personal } from './contract.js';

export const handler = capabilityRoute(personal, async ({ member, project }) => ({
  status: 200,
  body: personalCredentialsOf(member, project),
}));
