import * as z from 'zod/mini';
import { BootLogCallback, BootLogEntry } from '../../../protocol/callbacks.js';
import { Ulid } from '../../../protocol/ids.js';
import { BranchName } from '../../domain/code-host/branch-name.js';
import { InstallationId, RepositoryName } from '../../domain/code-host/code-host.js';
import { ResourceRequirements } from '../../domain/workspaces/workspace.js';
import { workspaceStatuses } from '../../domain/workspaces/workspace-status.js';
import { contract } from '../../edge/contract.js';
import { nextCursor, pageQuery } from '../../edge/contract-parts.js';
import { WorkspaceView } from './workspace-view.js';

const params = z.object({ workspaceId: Ulid });

export const create = contract({
  summary: 'Create a workspace',
  description:
    "Pass `projectId` to use the repository, installation and branch of a project, or `repository` with the `installationId` of one of your installations. The code host must show you the repository at that moment; git in the workspace can push if you can (`repositoryPermission`). The workspace reserves at least what `hostRequirements` of the repository's dev container require. Returns the workspace in status `pending`; read its progress with GET or on the live socket. Repeating the request with the same `Idempotency-Key` header within 24 hours returns the first workspace. Limit: 30 an hour. `vmSize` is accepted from old clients and ignored.",
  headers: {
    'Idempotency-Key':
      'A text of your choice, at most 255 printable characters. A repeat with the same key creates no second workspace',
  },
  example: { repository: 'octo/hello', installationId: '5001', displayName: 'first' },
  body: z.strictObject({
    projectId: z.optional(Ulid),
    installationId: z.optional(InstallationId),
    repository: z.optional(RepositoryName),
    branch: z.optional(BranchName),
    displayName: z.optional(
      z
        .string()
        .check(
          z.trim(),
          z.minLength(1),
          z.maxLength(100),
          z.regex(/^[^\p{Cc}]*$/u, 'Control characters are not allowed'),
        ),
    ),
    vmSize: z.optional(z.string().check(z.maxLength(32))),
    resourceRequirements: z.optional(ResourceRequirements),
  }),
  responses: { 201: WorkspaceView },
  errors: [
    'RESOURCES_TOO_LARGE',
    'FORBIDDEN',
    'NOT_FOUND',
    'IDEMPOTENCY_KEY_REUSED',
    'WORKSPACE_LIMIT_REACHED',
    'PROJECT_DETACHED',
    'RATE_LIMIT_EXCEEDED',
    'CODE_HOST_ACCESS_LOST',
    'CODE_HOST_UNAVAILABLE',
    'SERVICE_UNAVAILABLE',
  ],
});

export const list = contract({
  summary: 'List your workspaces',
  description:
    'Newest first, without deleted workspaces. Filter by `status`, `nodeId` or `projectId`. A page of a filtered list may have fewer entries than `limit`.',
  query: z.strictObject({
    ...pageQuery,
    status: z.optional(z.enum(workspaceStatuses)),
    nodeId: z.optional(Ulid),
    projectId: z.optional(Ulid),
  }),
  responses: { 200: z.object({ workspaces: z.array(WorkspaceView), nextCursor }) },
});

export const get = contract({
  summary: 'Get a workspace',
  description:
    '`status` states what the workspace does now, `errorMessage` why it failed. Only its owner can read it.',
  params,
  responses: { 200: WorkspaceView },
  errors: ['NOT_FOUND'],
});

export const stop = contract({
  summary: 'Stop a workspace',
  description:
    'Ends its container and processes and releases its slot on the node. A stop also cancels provisioning in progress. Repeating the call returns the present status. A stopped workspace can be restarted.',
  params,
  responses: { 200: z.object({ status: z.enum(['stopping', 'stopped']) }) },
  errors: ['FORBIDDEN', 'NOT_FOUND', 'CONFLICT'],
});

export const keepAwake = contract({
  summary: 'Keep a workspace awake',
  description:
    'The workspace neither sleeps nor stops by itself for this time from now on, a day at most; an earlier call for a later time stays (`keptAwakeUntil`). 409 when the workspace does not run, or has begun to sleep or stop.',
  params,
  body: z.strictObject({ minutes: z.int().check(z.gte(1), z.lte(1_440)) }),
  responses: { 200: WorkspaceView },
  errors: ['FORBIDDEN', 'NOT_FOUND', 'CONFLICT'],
});

export const sleep = contract({
  summary: 'Put a workspace to sleep',
  description:
    'The node captures the home, the work in progress and the agent sessions of the workspace. After the snapshot is verified, the workspace stops and releases its slot; a message to its chat session wakes it. Returns 200 when the workspace sleeps within 20 seconds or slept already, else 202: read the workspace, or its live topic. A message that comes first cancels the sleep. 409 `SLEEP_FAILED`: the snapshot failed or is not complete, and the workspace keeps running. A repeat joins the sleep in progress.',
  params,
  responses: {
    200: z.object({
      status: z.literal('sleeping'),
      workspaceId: Ulid,
      chatSessionId: Ulid,
      snapshotExpiresAt: z.iso.datetime(),
    }),
    202: z.object({
      status: z.enum(['capturing', 'stopping']),
      workspaceId: Ulid,
      chatSessionId: Ulid,
    }),
  },
  errors: [
    'FORBIDDEN',
    'NOT_FOUND',
    'WORKSPACE_NOT_IN_STATE',
    'WORKSPACE_HAS_NO_CHAT',
    'WORKSPACE_BUSY',
    'SLEEP_FAILED',
    'SERVICE_UNAVAILABLE',
  ],
});

export const restart = contract({
  summary: 'Restart a stopped or errored workspace, or wake a sleeping one',
  description:
    'A sleeping workspace wakes with its snapshot. The workspace becomes `pending` until it has a slot on a node, then `provisioning`, as its next `generation`. It keeps its files if its former node still has them and has room; otherwise it starts from the repository. Its agent sessions and their chat sessions continue; without the files, an agent begins without its conversation. You must still have access to the repository: 403 `CODE_HOST_ACCESS_LOST` when the code host refuses, 503 `CODE_HOST_UNAVAILABLE` when the code host does not answer and the last check is older than 5 minutes.',
  params,
  responses: { 202: z.object({ status: z.literal('provisioning') }) },
  errors: ['FORBIDDEN', 'NOT_FOUND', 'CONFLICT', 'CODE_HOST_ACCESS_LOST', 'CODE_HOST_UNAVAILABLE'],
});

export const rebuild = contract({
  summary: 'Rebuild the container of a workspace',
  description:
    'The node builds the container again from the dev container configuration in the workspace and keeps the files. An errored workspace claims a slot first, like a restart. When the node refuses or does not answer, a running workspace stays unchanged. You must still have access to the repository, as for a restart.',
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
    '200 `confirmed`: the deletion is proven. 202 `pending`: the deletion continues in the background; repeat the call to read its status. 409 `rejected`: this call changed nothing. You have no workspace with this id (`workspace_missing`); or the workspace changed before the deletion started: it has another owner, project or node (`workspace_assignment_changed`), or it was started again (`workspace_active`). Read it again before you delete it.',
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
  errors: ['FORBIDDEN'],
});

export { deletion as delete };

export const bootLog = contract({
  summary: 'Get the boot log of a workspace',
  description:
    'Returns the provisioning steps of the present generation in the order in which the node wrote them, at most 150. Entries are kept for seven days.',
  params,
  responses: {
    200: z.object({
      logs: z.array(z.extend(BootLogEntry, { entryId: BootLogCallback.shape.entryId })),
    }),
  },
  errors: ['NOT_FOUND'],
});
