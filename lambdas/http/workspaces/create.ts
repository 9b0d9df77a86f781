// POST /api/workspaces

import * as z from 'zod/mini';
import { askForRepository } from '../../domain/code-host/check-repository.js';
import { requireSameRequest } from '../../domain/idempotency/request-key.js';
import { typesFor } from '../../domain/nodes/instance-types.js';
import { raiseReservation } from '../../domain/nodes/raise-reservation.js';
import { requestedReservation } from '../../domain/nodes/reservation.js';
import {
  type Creator,
  chooseRepository,
  loadCreator,
  type RepositoryRequest,
} from '../../domain/workspaces/choose-repository.js';
import { findOwnWorkspace } from '../../domain/workspaces/find-workspace.js';
import { gitAuthorOf, insertWorkspace, newWorkspace } from '../../domain/workspaces/insert-workspace.js';
import type { Workspace } from '../../domain/workspaces/workspace.js';
import { codeHost } from '../../edge/code-host.js';
import { idempotencyKeyOf } from '../../edge/idempotency-key.js';
import { offer } from '../../edge/offer.js';
import { secretBox } from '../../edge/secret-box.js';
import { sessionRoute } from '../../edge/session-route.js';
import { readEnv } from '../../shared/env.js';
import type { Table } from '../../shared/table.js';
import { create } from './contract.js';
import { startProvisioning } from './start-provisioning.js';
import { workspaceView } from './workspace-view.js';

const env = readEnv({ WORKSPACE_URL_TEMPLATE: z.string() });

export const handler = sessionRoute(create, async ({ body, user, table, now, newId, log, request }) => {
  const { userId } = user;
  const creationKey = idempotencyKeyOf(request, body);
  const { installationId, projectId } = body;
  const query = { userId, installationId, projectId, creationKey: creationKey?.key };
  const requested = requestedReservation(body.resourceRequirements ?? null);
  typesFor(requested, offer);
  const creator = await loadCreator(table, query);
  if (creator.earlier && creationKey) {
    requireSameRequest(creationKey, creator.earlier);
    return created(await findOwnWorkspace(table, creator.earlier.workspaceId, userId));
  }

  const { renewed, hostRequirements, ...repository } = await authorise(table, { asked: body, creator, now });
  const workspace = newWorkspace(
    {
      ...repository,
      ...raiseReservation(requested, hostRequirements, offer),
      workspaceId: newId(),
      userId,
      projectId: projectId ?? null,
      displayName: body.displayName ?? repository.repository.split('/')[1] ?? repository.repository,
      resourceRequirements: body.resourceRequirements ?? null,
      ...(creator.user ? { gitAuthor: gitAuthorOf(creator.user) } : {}),
    },
    now,
  );
  const { workspaceId } = await insertWorkspace(table, workspace, { creation: creationKey, grant: renewed });
  // A concurrent request with the same key was first: its workspace is the result.
  if (workspaceId !== workspace.workspaceId) {
    return created(await findOwnWorkspace(table, workspaceId, userId));
  }
  await startProvisioning(workspace, log);
  return created(workspace);
});

async function authorise(
  table: Table,
  {
    asked,
    creator,
    now,
  }: { readonly asked: RepositoryRequest; readonly creator: Creator; readonly now: Date },
) {
  const chosen = chooseRepository(asked, creator);
  const source = { table, secrets: secretBox, codeHost };
  const { grant } = creator;
  const { repository, branch: ref } = chosen;
  const question = { grant, repository, now, devContainer: { ref } };
  const { found, renewed, hostRequirements } = await askForRepository(source, question);
  return {
    renewed,
    hostRequirements,
    installationId: chosen.installationId,
    repository: found.fullName,
    cloneUrl: found.cloneUrl,
    repositoryPermission: found.permission,
    repositoryCheckedAt: now.toISOString(),
    branch: chosen.branch ?? found.defaultBranch,
  };
}

const created = (workspace: Workspace) =>
  ({
    status: 201,
    body: workspaceView(workspace, env.WORKSPACE_URL_TEMPLATE),
    headers: { location: `/api/workspaces/${workspace.workspaceId}` },
  }) as const;
