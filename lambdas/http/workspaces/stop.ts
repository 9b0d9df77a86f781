// POST /api/workspaces/{workspaceId}/stop
import * as z from 'zod/mini';
import { stopWorkspace } from '../../domain/sagas/stop-workspace.js';
import { sessionRoute } from '../../edge/session-route.js';
import { stepFunctions } from '../../shared/clients/step-functions.js';
import { readEnv } from '../../shared/env.js';
import { stop } from './contract.js';

const env = readEnv({ STOP_WORKSPACE_ARN: z.string() });

export const handler = sessionRoute(stop, async ({ params: { workspaceId }, user, table, now, log }) => {
  const parts = { table, stepFunctions, stopWorkspaceArn: env.STOP_WORKSPACE_ARN, now };
  const status = await stopWorkspace(parts, { workspaceId, userId: user.userId }, (error) =>
    log.error('Stop not started; the sweep starts it', { workspaceId, error }),
  );
  return { status: 200, body: { status } };
});
