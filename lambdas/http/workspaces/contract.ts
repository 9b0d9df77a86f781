import * as z from 'zod/mini';
import { BootLogCallback, BootLogEntry } from '../../../protocol/callbacks.js';
import { Ulid } from '../../../protocol/ids.js';
import { BranchName } from '../../domain/code-host/branch-name.js';
import { InstallationId, RepositoryName } from '../../domain/code-host/code-host.js';
import { ResourceRequirements } from '../../domain/workspaces/workspace.js';
import { workspaceStatuses } from '../../domain/workspaces/workspace-status.js';
import { contract } from '../../edge/contract.js';
import { nextCursor, pageQuery } from '../../edge/page-query.js';
import { WorkspaceView } from './workspace-view.js';

const params = z.object({ workspaceId: Ulid });

export const create = contract({
  summary: 'Create a workspace',
  description:
    'Of a project, whose repository, installation and branch are the defaults; or of `repository` through `installationId`, which must be one of yours. You must be able to see the repository at that moment; git in the workspace can push if you can (`repositoryPermission`). Answers at once; follow the status by GET or on the live socket. A repeat with the same `Idempotency-Key` header within a day answers with the first workspace. Thirty an hour. `vmSize` is accepted from old clients and has no effect.',
  headers: { 'Idempotency-Key': 'Of your own making; a repeat with it makes no second workspace' },
  example: { repository: 'octo/hello', installationId: '5001', displayName: 'first' },
  body: z.strictObject({
    projectId: z.optional(Ulid),
    installationId: z.optional(InstallationId),
    repository: z.optional(RepositoryName),
    branch: z.optional(BranchName),
    displayName: z.optional(
      z
        .string()
        .check(z.trim(), z.minLength(1), z.maxLength(100), z.regex(/^[^\p{Cc}]*$/u, 'No control characters')),
    ),
    vmSize: z.optional(z.string().check(z.maxLength(32))),
    resourceRequirements: z.optional(ResourceRequirements),
  }),
  responses: { 201: WorkspaceView },
  errors: [
    'FORBIDDEN',
    'NOT_FOUND',
    'IDEMPOTENCY_KEY_REUSED',
    'PROJECT_DETACHED',
    'RATE_LIMIT_EXCEEDED',
    'CODE_HOST_ACCESS_LOST',
    'CODE_HOST_UNAVAILABLE',
    'SERVICE_UNAVAILABLE',
  ],
});

export const list = contract({
  summary: 'Your workspaces, newest first',
  description: 'Deleted ones are left out. A page may hold fewer than `limit` when a filter is given.',
  query: z.strictObject({
    ...pageQuery,
    status: z.optional(z.enum(workspaceStatuses)),
    nodeId: z.optional(Ulid),
    projectId: z.optional(Ulid),
  }),
  responses: { 200: z.object({ workspaces: z.array(WorkspaceView), nextCursor }) },
});

export const get = contract({
  summary: 'A workspace',
  params,
  responses: { 200: WorkspaceView },
  errors: ['NOT_FOUND'],
});

export const stop = contract({
  summary: 'Stop a workspace for good',
  description:
    'Its place on the node becomes free. Wins over a provisioning that is under way. A repeat answers with how far it is.',
  params,
  responses: { 200: z.object({ status: z.enum(['stopping', 'stopped']) }) },
  errors: ['FORBIDDEN', 'NOT_FOUND', 'CONFLICT'],
});

export const restart = contract({
  summary: 'Start a workspace again that is stopped or has failed',
  description:
    'As another life: `pending` until it has a place, then `provisioning`. Its files come along where its node still has them and has room; otherwise it begins from the repository again. You must still have access to the repository: 403 `CODE_HOST_ACCESS_LOST` when the code host says no, 503 `CODE_HOST_UNAVAILABLE` when it does not answer and the last check is older than 5 minutes.',
  params,
  responses: { 202: z.object({ status: z.literal('provisioning') }) },
  errors: ['FORBIDDEN', 'NOT_FOUND', 'CONFLICT', 'CODE_HOST_ACCESS_LOST', 'CODE_HOST_UNAVAILABLE'],
});

export const rebuild = contract({
  summary: 'Make the container of a workspace anew, around its files',
  description:
    'From the dev container configuration as it is in the workspace by now. One that has failed gets a place first, like a restart. A node that refuses or does not answer leaves a running workspace as it was. You must still have access to the repository, as for a restart.',
  params,
  responses: { 202: z.object({ status: z.literal('rebuilding') }) },
  errors: [
    'FORBIDDEN',
    'NOT_FOUND',
    'CONFLICT',
    'CODE_HOST_ACCESS_LOST',
    'CODE_HOST_UNAVAILABLE',
    'SERVICE_UNAVAILABLE',
  ],
});

const DeletionReply = z.object({
  success: z.boolean(),
  deletionStatus: z.enum(['confirmed', 'pending', 'rejected']),
  workspaceStatus: z.optional(z.enum(['stopping', 'unchanged'])),
  reason: z.optional(z.string()),
});

// The file is called delete, which is no name for an export.
const deletion = contract({
  summary: 'Delete a workspace',
  description:
    '200: it is proven gone. 202: not proven yet; nothing is claimed, the deletion goes on by itself and a repeat tells how it stands. 409: before the deletion was begun the workspace went, was reassigned or came back to life (`workspace_missing`, `workspace_assignment_changed`, `workspace_active`); it is unchanged.',
  params,
  responses: { 200: DeletionReply, 202: DeletionReply, 409: DeletionReply },
  answers: {
    202: {
      success: true,
      deletionStatus: 'pending',
      workspaceStatus: 'stopping',
      reason: 'runtime_deletion_unconfirmed',
    },
    409: {
      success: false,
      deletionStatus: 'rejected',
      workspaceStatus: 'unchanged',
      reason: 'workspace_assignment_changed',
    },
  },
  errors: ['FORBIDDEN', 'NOT_FOUND'],
});

export { deletion as delete };

export const bootLog = contract({
  summary: 'How far provisioning has come',
  description: 'The entries of the present life, in the order the node wrote them; kept for seven days.',
  params,
  responses: {
    200: z.object({
      logs: z.array(z.extend(BootLogEntry, { entryId: BootLogCallback.shape.entryId })),
    }),
  },
  errors: ['NOT_FOUND'],
});
