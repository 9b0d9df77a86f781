// POST /api/workspaces/{workspaceId}/stop
import * as z from 'zod/mini';
import { failStep } from '../../domain/sagas/answer-step.js';
import { sagaNames, startSaga } from '../../domain/sagas/start-saga.js';
import { claimStop } from '../../domain/workspaces/claim-stop.js';
import { sessionRoute } from '../../edge/session-route.js';
import { stepFunctions } from '../../shared/clients/step-functions.js';
import { readEnv } from '../../shared/env.js';
import { stop } from './contract.js';

const env = readEnv({ STOP_WORKSPACE_ARN: z.string() });

export const handler = sessionRoute(stop, async ({ params: { workspaceId }, user, table, now, log }) => {
  const { status, generation, taskToken } = await claimStop(table, { workspaceId, userId: user.userId, now });
  // The claim holds whatever becomes of the calls below: the sweep makes up for them.
  await Promise.all([
    taskToken &&
      failStep(stepFunctions, taskToken, { error: 'WorkspaceStopped', cause: 'The workspace was stopped' }),
    status === 'stopping' &&
      startSaga(stepFunctions, {
        stateMachineArn: env.STOP_WORKSPACE_ARN,
        name: sagaNames.stop(workspaceId, generation),
        input: { workspaceId, generation },
      }),
  ]).catch((error: unknown) => log.error('Stop not begun; the sweep will', { workspaceId, error }));
  return { status: 200, body: { status } };
});
