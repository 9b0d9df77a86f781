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
  Heartbeat,
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
import { Ulid } from '../../../protocol/ids.js';
import { contract } from '../../edge/contract.js';

const node = z.object({ nodeId: Ulid });
const workspace = z.object({ workspaceId: Ulid });

export const bootstrap = contract({
  summary: "Redeem a new node's bootstrap token",
  description:
    'Once; the same `redemptionId` may repeat it after a lost answer while the token lives. Ten a minute for an address.',
  body: BootstrapRequest,
  responses: { 200: BootstrapResponse },
  errors: ['INVALID_TOKEN', 'RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE'],
});

export const nodeReady = contract({
  summary: 'A node agent is up',
  params: node,
  body: NodeReady,
  responses: { 200: NodeReadyResult },
  errors: ['GONE'],
});

export const nodeHeartbeat = contract({
  summary: 'A node agent lives',
  description: '410 once the node is removed: the agent then has nothing to report any more.',
  params: node,
  body: Heartbeat,
  responses: { 200: HeartbeatResult },
  errors: ['GONE'],
});

export const workspaceReady = contract({
  summary: 'A workspace runs on its node',
  description:
    'Late or repeated, it has no effect: `success` is false with a `reason`, or true for a repeat.',
  params: workspace,
  body: WorkspaceReady,
  responses: { 200: CallbackResult },
  errors: ['NOT_FOUND', 'GONE'],
});

export const workspaceProgress = contract({
  summary: 'A workspace is still being made',
  description: `Every ${progressIntervalSeconds} s while the node makes it. \`success\` is false when nobody waits for it any more.`,
  params: workspace,
  body: WorkspaceProgress,
  responses: { 200: CallbackResult },
  errors: ['NOT_FOUND', 'GONE'],
});

export const provisioningFailed = contract({
  summary: 'A workspace could not be made on its node',
  description: 'Late or repeated, it has no effect.',
  params: workspace,
  body: ProvisioningFailed,
  responses: { 200: CallbackResult },
  errors: ['NOT_FOUND', 'GONE'],
});

export const bootLog = contract({
  summary: 'One entry of the boot log',
  description: 'An `entryId` is written once.',
  params: workspace,
  body: BootLogCallback,
  responses: { 200: CallbackResult },
  errors: ['NOT_FOUND', 'GONE'],
});

export const gitToken = contract({
  summary: "Get a git token for the workspace's one repository",
  description:
    "The token can do what the workspace's owner can do in the repository: the code host is asked with the owner's own token when the last answer is older than 5 minutes. A repeat returns the same token while it lives and that answer counts; pass `renew` when the code host has refused it. The code host is asked once a minute a workspace at most (429 with `Retry-After`). 403 `CODE_HOST_ACCESS_LOST` when the owner has no access any more; the last token is then revoked.",
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
  description: 'Due once half of its life has passed; before that `renewed` is false.',
  params: workspace,
  body: RenewCallbackToken,
  responses: { 200: RenewCallbackTokenResult },
  errors: ['NOT_FOUND', 'GONE'],
});

export const agentKey = contract({
  summary: 'The credential with which an agent of this kind works',
  description:
    "The project's comes before the workspace owner's own. A credential of the deployment is never given to a workspace. The owner's own is given in a project only after they allowed it there (403 `CREDENTIAL_NOT_ALLOWED_IN_PROJECT`), and none to an owner who may not work in the project any more (403 `FORBIDDEN`). 404 when there is none, or the workspace has no such session. The agent shows the reason.",
  params: workspace,
  body: AgentKeyRequest,
  responses: { 200: AgentKey },
  errors: ['CREDENTIAL_NOT_ALLOWED_IN_PROJECT', 'NOT_FOUND', 'GONE', 'SERVICE_UNAVAILABLE'],
});

export const agentSettings = contract({
  summary: 'With what an agent of this kind is started in the workspace',
  description:
    'As the task of the workspace was resolved when it was submitted; without one, as the project and the person have it now.',
  params: workspace,
  body: AgentSettingsRequest,
  responses: { 200: AgentSettings },
  errors: ['NOT_FOUND', 'GONE', 'SERVICE_UNAVAILABLE'],
});

export const runtimeAssets = contract({
  summary: 'The variables with which an agent session is started',
  description:
    "Those of the profile and skill of the task that the workspace is for, each as the strongest layer has it now; none for an agent of another kind than the task's. Their values are secrets. `refused` names variables that are stored and not set, because no shared layer may set them. `files` is always empty.",
  params: workspace,
  query: z.strictObject({ agentSessionId: z.optional(Ulid) }),
  responses: { 200: RuntimeAssets },
  errors: ['NOT_FOUND', 'GONE', 'SERVICE_UNAVAILABLE'],
});

export const workspaceRuntime = contract({
  summary: 'What a workspace is made of',
  description: 'For an agent that has lost it. No secrets: `git-token` gives what it takes to clone.',
  params: workspace,
  responses: { 200: WorkspaceRuntime },
  errors: ['NOT_FOUND', 'GONE'],
});

export const agentCredentialSync = contract({
  summary: "Keep what an agent's own sign-in has renewed",
  description:
    "Only a sign-in that this session was given is renewed: the workspace owner's own, or the project's while the owner holds `secret:write` in it. `updated` is false otherwise, when it is the same, and when somebody has stored another one since.",
  params: workspace,
  body: AgentCredentialSync,
  responses: { 200: AgentCredentialSyncResult },
  errors: ['NOT_FOUND', 'GONE', 'SERVICE_UNAVAILABLE'],
});

export const messages = contract({
  summary: 'What was said in a conversation',
  description:
    'At most 100 messages of one session, in order; told again they are counted as duplicates. `whole` names what was uploaded of a message that is longer than its `content`; when it is not there nothing is stored (409 `CONTENT_NOT_STORED`). `activity` is what their agent does by now, as the report of it says it; it is taken with messages that are new only, and told by itself where `activityTaken` is not true. 409 `NOT_LINKED`: the session is not one of this workspace.',
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
  summary: 'Where to upload what a message is too long for',
  description:
    'A PUT with just these headers, within ten minutes; then the message is told with its beginning as `content` and the same `whole`. What is not told within a day is gone.',
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
  summary: 'The agents of a project live on a node',
  description:
    'Every minute. 404 when the node has no workspace of the project, 410 when it is removed; 403 when it is another node than that of the token.',
  params: z.object({ projectId: Ulid }),
  body: AgentHeartbeat,
  responses: { 204: null },
  errors: ['NOT_FOUND', 'GONE'],
});

export const agentActivity = contract({
  summary: 'What an agent does',
  params: z.object({ projectId: Ulid, sessionId: Ulid }),
  body: ActivityReport,
  responses: { 204: null },
  errors: ['NOT_FOUND', 'GONE', 'SERVICE_UNAVAILABLE'],
});

export const agentUsage = contract({
  summary: "What an agent has seen of the limits of its session's credential",
  description:
    'The newest figures of a credential and window are kept, of about 32 windows; older ones, those of more than five minutes ahead, and those of a session that was given none of our credentials, change nothing.',
  params: z.object({ projectId: Ulid, sessionId: Ulid }),
  body: AgentUsageReport,
  responses: { 204: null },
  errors: ['NOT_FOUND', 'GONE', 'SERVICE_UNAVAILABLE'],
});
