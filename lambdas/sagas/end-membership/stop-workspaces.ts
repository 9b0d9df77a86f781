// end-membership: StopWorkspaces

import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { revokeTokensOf } from '../../domain/code-host/end-git-tokens.js';
import { endings } from '../../domain/endings/endings.js';
import { stopMemberWorkspaces } from '../../domain/members/stop-member-workspaces.js';
import { stopWorkspace } from '../../domain/sagas/stop-workspace.js';
import { finishAccessEnd } from '../../domain/users/end-access.js';
import type { Workspace } from '../../domain/workspaces/workspace.js';
import { codeHost } from '../../edge/code-host.js';
import { sagasOf } from '../../edge/sagas.js';
import { secretBox } from '../../edge/secret-box.js';
import { step } from '../../edge/step.js';
import { stepFunctions } from '../../shared/clients/step-functions.js';

const sagas = sagasOf('stop-workspace');
/** Without a project: of the whole deployment, as the person's row says. */
const EndedMembership = z.object({ projectId: z.nullable(Ulid), userId: Ulid });

export const handler = step(EndedMembership, ({ input, table, now, log }) => {
  const deps = { table, stepFunctions, sagas, now };
  const { userId, projectId } = input;
  const ends = {
    stop: (workspaceId: string) =>
      stopWorkspace(deps, { workspaceId, userId, because: endings.memberLeft }, (error) =>
        log.error('Stop not started; the sweep will start it', { workspaceId, error }),
      ),
    revokeTokens: (workspaces: readonly Workspace[]) =>
      revokeTokensOf({ table, secrets: secretBox, codeHost }, workspaces),
  };
  return projectId === null
    ? finishAccessEnd(table, userId, ends)
    : stopMemberWorkspaces(table, { projectId, userId }, ends);
});
