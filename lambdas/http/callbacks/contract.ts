// biome-ignore-all lint/style/noExcessiveLinesPerFile: the contracts of one area, read as one list
import * as z from 'zod/mini';
import {
  ActivityReport,
  AgentCredentialSync,
  AgentCredentialSyncResult,
  AgentHeartbeat,
  AgentKey,
  AgentKeyRequest,
  AgentSettings,
  AgentSettingsRequest,
  AgentUsageReport,
  MessageBatch,
  MessageBatchResult,
  MessageContentRequest,
  MessageContentUpload,
  maxBatchBytes,
  RuntimeAssets,
  WorkspaceRuntime,
} from '../../../protocol/agent-callbacks.js';
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
  params: node,
  body: NodeReady,
  responses: { 200: NodeReadyResult },
  errors: ['GONE'],
});

export const nodeHeartbeat = contract({
  summary: 'Send the heartbeat of a node',
  description: '410 once the node is removed: the agent stops reporting.',
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

export const agentKey = contract({
  summary: 'Get the credential for an agent of this type',
  description:
    "Returns the credential of the project, otherwise the credential of the workspace's owner. A workspace never gets a credential of the deployment. The owner's credential is used in a project only after the owner allowed it there (403 `CREDENTIAL_NOT_ALLOWED_IN_PROJECT`). 403 `FORBIDDEN` when the owner may no longer work in the project. 404 when no credential is stored, or the workspace has no such session. The agent shows the message.",
  params: workspace,
  body: AgentKeyRequest,
  responses: { 200: AgentKey },
  errors: ['CREDENTIAL_NOT_ALLOWED_IN_PROJECT', 'NOT_FOUND', 'GONE', 'SERVICE_UNAVAILABLE'],
});

export const agentSettings = contract({
  summary: 'Get the settings for an agent of this type',
  description:
    'Returns the settings that were resolved when the task of the workspace was submitted. Without a task, returns the present settings of the project and the person.',
  params: workspace,
  body: AgentSettingsRequest,
  responses: { 200: AgentSettings },
  errors: ['NOT_FOUND', 'GONE', 'SERVICE_UNAVAILABLE'],
});

export const runtimeAssets = contract({
  summary: 'Get the variables of an agent session',
  description:
    "Returns the variables of the profile and skill of the workspace's task, each with its present value from the layer of highest precedence; no variables for an agent of another type than the task's. Values are secrets. `refused` names stored variables that are not set because shared layers may not set them. `files` is always empty.",
  params: workspace,
  query: z.strictObject({ agentSessionId: z.optional(Ulid) }),
  responses: { 200: RuntimeAssets },
  errors: ['NOT_FOUND', 'GONE', 'SERVICE_UNAVAILABLE'],
});

export const workspaceRuntime = contract({
  summary: 'Get repository, branch and git author of a workspace',
  description:
    'For a node agent that has lost them. Returns no secrets: get a token to clone from `git-token`.',
  params: workspace,
  responses: { 200: WorkspaceRuntime },
  errors: ['NOT_FOUND', 'GONE'],
});

export const agentCredentialSync = contract({
  summary: 'Store a sign-in that an agent renewed',
  description:
    "Replaces only the sign-in that this session was given: the workspace owner's, or the project's while the owner holds `secret:write` in the project. `updated` is false otherwise, when the sign-in is unchanged, and when somebody has stored another one since.",
  params: workspace,
  body: AgentCredentialSync,
  responses: { 200: AgentCredentialSyncResult },
  errors: ['NOT_FOUND', 'GONE', 'SERVICE_UNAVAILABLE'],
});

export const messages = contract({
  summary: 'Report messages of a conversation',
  description:
    'Send at most 100 messages of one session, in order. Repeated messages are counted as duplicates. `whole` names the upload of a message that is longer than its `content`; when the upload is missing, nothing is stored (409 `CONTENT_NOT_STORED`). `activity` is the present activity of the agent. It is stored only with new messages: send a separate activity report unless the reply has `activityTaken` true. 409 `NOT_LINKED`: the session does not belong to this workspace.',
  params: workspace,
  body: MessageBatch,
  maxBodyBytes: maxBatchBytes,
  responses: { 200: MessageBatchResult },
  errors: [
    'NOT_FOUND',
    'GONE',
    'NOT_LINKED',
    'SESSION_MESSAGE_LIMIT_EXCEEDED',
    'CONTENT_NOT_STORED',
    'SERVICE_UNAVAILABLE',
  ],
});

const exampleChatId = '01JD0000000000000000000000';
const exampleMessageId = '6f1de0f7-2f3c-4c4e-9d53-3a1f5c7a9b20';
const exampleWhole = {
  bytes: 250_000,
  sha256: '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
};

export const messageContent = contract({
  summary: 'Get an upload address for a long message',
  description:
    'Send the text by PUT with exactly these headers within ten minutes. Then report the message with its beginning as `content` and the same `whole`. An upload without a reported message is deleted after a day.',
  params: workspace,
  example: { generation: 1, sessionId: exampleChatId, messageId: exampleMessageId, whole: exampleWhole },
  body: MessageContentRequest,
  answers: {
    200: {
      uploadUrl: `https://uploads.example.com/message-uploads/${exampleMessageId}?X-Amz-Signature=0`,
      headers: { 'content-type': 'text/plain; charset=utf-8', 'content-length': String(exampleWhole.bytes) },
    },
  },
  responses: { 200: MessageContentUpload },
  errors: ['NOT_FOUND', 'GONE', 'NOT_LINKED', 'SESSION_CONTENT_LIMIT_EXCEEDED'],
});

export const nodeAcpHeartbeat = contract({
  summary: 'Send the heartbeat of the agents of a project on a node',
  description:
    'The node sends it every minute. 404 when the node has no workspace of the project, 410 when the node is removed, 403 when the token belongs to another node.',
  params: z.object({ projectId: Ulid }),
  body: AgentHeartbeat,
  responses: { 204: null },
  errors: ['NOT_FOUND', 'GONE'],
});

export const agentActivity = contract({
  summary: 'Report the activity of an agent',
  params: z.object({ projectId: Ulid, sessionId: Ulid }),
  body: ActivityReport,
  responses: { 204: null },
  errors: ['NOT_FOUND', 'GONE', 'SERVICE_UNAVAILABLE'],
});

export const agentUsage = contract({
  summary: "Report the rate limits of an agent session's credential",
  description:
    'The newest figures of each window are stored, for about 32 windows of a credential. Older figures, figures more than five minutes ahead, and figures of a session without a stored credential have no effect.',
  params: z.object({ projectId: Ulid, sessionId: Ulid }),
  body: AgentUsageReport,
  responses: { 204: null },
  errors: ['NOT_FOUND', 'GONE', 'SERVICE_UNAVAILABLE'],
});
