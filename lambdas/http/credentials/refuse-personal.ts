// DELETE /api/projects/{projectId}/personal-credentials
import {
  personalCredentialsOf,
  refusePersonalCredentials,
} from '../../domain/credentials/personal-credentials.js';
import { capabilityRoute } from '../../edge/capability-route.js';
import { refusePersonal } from './contract.js';

export const handler = capabilityRoute(refusePersonal, async ({ member, project, table }) => {
  await refusePersonalCredentials(table, member);
  return { status: 200, body: personalCredentialsOf({ userId: member.userId }, project) };
});
