// POST /api/workspaces/{workspaceId}/restart
import * as z from 'zod/mini';
import { claimRestart } from '../../domain/workspaces/claim-restart.js';
import { sessionRoute } from '../../edge/session-route.js';
import { readEnv } from '../../shared/env.js';
import { restart } from './contract.js';
import { startProvisioning } from './start-provisioning.js';

const env = readEnv({ PROVISION_WORKSPACE_ARN: z.string() });

export const handler = sessionRoute(restart, async ({ params, user, table, now, log }) => {
  const query = { workspaceId: params.workspaceId, userId: user.userId, how: 'restart', now } as const;
  const workspace = await claimRestart(table, query);
  await startProvisioning(workspace, { stateMachineArn: env.PROVISION_WORKSPACE_ARN, log });
  return { status: 202, body: { status: 'provisioning' } };
});
