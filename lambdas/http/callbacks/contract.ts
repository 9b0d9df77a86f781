import * as z from 'zod/mini';
import { WorkspaceRuntime } from '../../../protocol/agent-callbacks.js';
import { BootstrapRequest, BootstrapResponse } from '../../../protocol/boot.js';
import {
  BootLogCallback,
  CallbackResult,
  GitTokenRequest,
  GitTokenResult,
  HeartbeatResult,
  NodeReady,
  NodeReadyResult,
  ProvisioningFailed,
  progressIntervalSeconds,
  RenewCallbackToken,
  RenewCallbackTokenResult,
  WorkspaceProgress,
  WorkspaceReady,
} from '../../../protocol/callbacks.js';
import { Heartbeat } from '../../../protocol/heartbeat.js';
import { Ulid } from '../../../protocol/ids.js';
import { contract } from '../../edge/contract.js';

const node = z.object({ nodeId: Ulid });
const workspace = z.object({ workspaceId: Ulid });

export const bootstrap = contract({
  summary: "Redeem a new node's bootstrap token",
  description:
    'Returns the callback token of the node. A bootstrap token can be redeemed once; the same `redemptionId` may repeat the call after a lost reply while the token lives. Limit: 10 a minute for each address.',
  body: BootstrapRequest,
  responses: { 200: BootstrapResponse },
  errors: ['INVALID_TOKEN', 'RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE'],
});

export const nodeReady = contract({
  summary: 'Report that a node agent is ready',
  description: 'The node can take workspaces from then on. A repeat changes nothing.',
  params: node,
  body: NodeReady,
  responses: { 200: NodeReadyResult },
  errors: ['GONE'],
});

export const nodeHeartbeat = contract({
  summary: 'Send the heartbeat of a node',
  description:
    '`usedWorkspaces` postpones the sleep or stop of these workspaces. 410 once the node is removed: the agent stops reporting.',
  params: node,
  body: Heartbeat,
  responses: { 200: HeartbeatResult },
  errors: ['GONE'],
});

export const workspaceReady = contract({
  summary: 'Report that a workspace is ready on its node',
  description:
    'A late report has no effect: `success` is false and `reason` says why. A repeated report returns `success` true.',
  params: workspace,
  body: WorkspaceReady,
  responses: { 200: CallbackResult },
  errors: ['NOT_FOUND', 'GONE'],
});

export const workspaceProgress = contract({
  summary: 'Report that the node still makes a workspace',
  description: `The node sends this heartbeat every ${progressIntervalSeconds} seconds while it makes the workspace. \`success\` is false when no provisioning waits for it.`,
  params: workspace,
  body: WorkspaceProgress,
  responses: { 200: CallbackResult },
  errors: ['NOT_FOUND', 'GONE'],
});

export const provisioningFailed = contract({
  summary: 'Report that a node could not make or restart a workspace',
  description: 'A late or repeated report has no effect: `success` is false and `reason` says why.',
  params: workspace,
  body: ProvisioningFailed,
  responses: { 200: CallbackResult },
  errors: ['NOT_FOUND', 'GONE'],
});

export const bootLog = contract({
  summary: 'Append an entry to the boot log of a workspace',
  description:
    'Repeating the call with the same `entryId` writes nothing. `success` is false when the log is full (150 entries) or the workspace does not boot.',
  params: workspace,
  body: BootLogCallback,
  responses: { 200: CallbackResult },
  errors: ['NOT_FOUND', 'GONE'],
});

export const gitToken = contract({
  summary: "Get a git token for the workspace's one repository",
  description:
    "The token has the permission of the workspace's owner in the repository. The control plane asks the code host with the owner's token when the last check is older than 5 minutes. Repeating the call returns the same token while it lives; pass `renew` when the code host refused the token. The control plane asks the code host at most once a minute for each workspace (429 with `Retry-After`). 403 `CODE_HOST_ACCESS_LOST` when the owner has lost access; the last token is then revoked.",
  params: workspace,
  body: GitTokenRequest,
  responses: { 200: GitTokenResult },
  errors: [
    'NOT_FOUND',
    'GONE',
    'RATE_LIMIT_EXCEEDED',
    'CODE_HOST_ACCESS_LOST',
    'CODE_HOST_UNAVAILABLE',
    'SERVICE_UNAVAILABLE',
  ],
});

export const renewToken = contract({
  summary: "Renew a workspace's callback token",
  description:
    'Renewal is due once half of the lifetime of the token has passed; before that `renewed` is false.',
  params: workspace,
  body: RenewCallbackToken,
  responses: { 200: RenewCallbackTokenResult },
  errors: ['NOT_FOUND', 'GONE'],
});

export const workspaceRuntime = contract({
  summary: 'Get repository, branch and git author of a workspace',
  description:
    'For a node agent that has lost them. Returns no secrets: get a token to clone from `git-token`.',
  params: workspace,
  responses: { 200: WorkspaceRuntime },
  errors: ['NOT_FOUND', 'GONE'],
});
