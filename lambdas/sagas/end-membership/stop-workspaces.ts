// end-membership: StopWorkspaces
import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { stopMemberWorkspaces } from '../../domain/members/stop-member-workspaces.js';
import { stopWorkspace } from '../../domain/sagas/stop-workspace.js';
import { step } from '../../edge/step.js';
import { stepFunctions } from '../../shared/clients/step-functions.js';
import { readEnv } from '../../shared/env.js';

const env = readEnv({ STOP_WORKSPACE_ARN: z.string() });
const EndedMembership = z.object({ projectId: Ulid, userId: Ulid });

export const handler = step(EndedMembership, ({ input, table, now, log }) => {
  const parts = { table, stepFunctions, stopWorkspaceArn: env.STOP_WORKSPACE_ARN, now };
  const { userId } = input;
  return stopMemberWorkspaces(table, input, (workspaceId) =>
    stopWorkspace(parts, { workspaceId, userId }, (error) =>
      log.error('Stop not begun; the sweep will', { workspaceId, error }),
    ),
  );
});
