// POST /api/workspaces/{workspaceId}/stop
import { stopWorkspace } from '../../domain/sagas/stop-workspace.js';
import { sagasOf } from '../../edge/sagas.js';
import { sessionRoute } from '../../edge/session-route.js';
import { stepFunctions } from '../../shared/clients/step-functions.js';
import { stop } from './contract.js';

const sagas = sagasOf('stop-workspace');

export const handler = sessionRoute(stop, async ({ params: { workspaceId }, user, table, now, log }) => {
  const deps = { table, stepFunctions, sagas, now };
  const status = await stopWorkspace(deps, { workspaceId, userId: user.userId }, (error) =>
    log.error('Stop not started; the sweep starts it', { workspaceId, error }),
  );
  return { status: 200, body: { status } };
});
