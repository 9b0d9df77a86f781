// PUT /api/projects/{projectId}/personal-credentials
import {
  allowPersonalCredentials,
  personalCredentialsOf,
} from '../../domain/credentials/personal-credentials.js';
import { capabilityRoute } from '../../edge/capability-route.js';
import { allowPersonal } from './contract.js';

export const handler = capabilityRoute(allowPersonal, async ({ member, project, table, now }) => {
  const personalCredentialsAllowedAt = await allowPersonalCredentials(table, member, now);
  return { status: 200, body: personalCredentialsOf({ ...member, personalCredentialsAllowedAt }, project) };
});
