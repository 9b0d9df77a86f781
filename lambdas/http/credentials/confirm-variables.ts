// PUT /api/projects/{projectId}/personal-credentials/variables
import { confirmVariables, personalCredentialsOf } from '../../domain/credentials/personal-credentials.js';
import { capabilityRoute } from '../../edge/capability-route.js';
import * as contracts from './contract.js';

export const handler = capabilityRoute(
  contracts.confirmVariables,
  async ({ body, member, project, table }) => {
    const confirmedVariables = [...(await confirmVariables(table, member, body.names))];
    return { status: 200, body: personalCredentialsOf({ ...member, confirmedVariables }, project) };
  },
);
