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
} from '../../../protocol/agent-callbacks.js';
import { EvictionReport } from '../../../protocol/eviction.js';
import { Ulid } from '../../../protocol/ids.js';
import {
  ResourceHistoryUpload,
  ResourceHistoryUploadAnswer,
  resourceHistoryLimits,
} from '../../../protocol/resource-history.js';
import { contract } from '../../edge/contract.js';

const workspace = z.object({ workspaceId: Ulid });

export const agentKey = contract({
  summary: 'Get the credential for an agent of this type',
  description:
    "Returns the credential of the project, otherwise the credential of the workspace's owner. A workspace never gets a credential of the deployment. The owner's credential is used in a project only after the owner allowed it there (403 `CREDENTIAL_NOT_ALLOWED_IN_PROJECT`), and not with an address that a profile, a skill or the project chose at the start of the agent (403 `CREDENTIAL_REDIRECTED`, with the fields). 403 `FORBIDDEN` when the owner may no longer work in the project. 404 when no credential is stored, or the workspace has no such session. The agent shows the message.",
  params: workspace,
  body: AgentKeyRequest,
  responses: { 200: AgentKey },
  errors: [
    'CREDENTIAL_NOT_ALLOWED_IN_PROJECT',
    'CREDENTIAL_REDIRECTED',
    'NOT_FOUND',
    'GONE',
    'SERVICE_UNAVAILABLE',
  ],
});

export const agentSettings = contract({
  summary: 'Get the settings for an agent of this type',
  description:
    'Returns the settings that were resolved when the agent session was created, or when the task of the workspace was submitted. Without either, returns the present settings of the project and the person; `opencodeProvider` and `opencodeBaseUrl` are then those of the person only.',
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
  description: 'A delayed report of an earlier prompt changes nothing.',
  params: z.object({ projectId: Ulid, sessionId: Ulid }),
  body: ActivityReport,
  responses: { 204: null },
  errors: ['NOT_FOUND', 'GONE', 'SERVICE_UNAVAILABLE'],
});

export const agentUsage = contract({
  summary: "Report the rate limits of an agent session's credential",
  description:
    'The newest figures of each window are stored. Older figures, figures of another provider than that of the credential, and figures of a session without a stored credential have no effect. Figures more than five minutes ahead or 24 hours old, and resets more than 8 days ahead (32 days for `opencode.monthly`), are 400.',
  params: z.object({ projectId: Ulid, sessionId: Ulid }),
  body: AgentUsageReport,
  maxBodyBytes: 32 * 1_024,
  example: {
    nodeId: '01M8G9W4T2K6V0XQZR5N7C1BDF',
    workspaceId: '01M8G9W4T2K6V0XQZR5N7C1BDG',
    agentType: 'claude-code',
    source: 'claude-acp.rate_limit',
    observedAt: '2026-11-26T14:55:00.000Z',
    rateLimits: [
      {
        windowType: 'claude.five_hour',
        provider: 'anthropic',
        source: 'claude-acp.rate_limit',
        status: 'allowed',
        utilizationPercent: 91,
        windowMinutes: 300,
        resetsAt: '2026-11-26T16:00:00.000Z',
        observedAt: '2026-11-26T14:55:00.000Z',
      },
    ],
  },
  responses: { 204: null },
  errors: ['NOT_FOUND', 'GONE', 'SERVICE_UNAVAILABLE'],
});

/** Twice the largest chunk, and its metadata. Lambda accepts 6 MB. */
const maxUploadBytes = 2 * resourceHistoryLimits.compressedBytes + 64 * 2 ** 10;

const exampleChunk = {
  compressedBase64: 'H4sIAAAAAAAAA6tWKkstKs7Mz1OyMtRRKk7MLchJLVayio7VUSrJz88JLkjMA3NrAUMJBLcpAAAA',
  compressedBytes: 57,
  uncompressedBytes: 41,
  sha256: 'b3bcdae6956668a08bedb8e577bf3c943679000dc423a6be075520b7dd7a3aaa',
};

export const workspaceResourceHistory = contract({
  summary: 'Upload a chunk of resource history',
  description:
    'A chunk is gzip of JSON: `version` 1, `samples`, `toolSpans`, `gaps`. Its sizes, its SHA-256 and its counts are checked, and only allowed fields are stored (2 MiB compressed, 8 MiB uncompressed, 4,096 samples). Session, task, profile, skill and agent type are those of the records of the workspace: 403 for a node, session or task that is not its own, 404 for another project. Repeating the same chunk changes nothing (`idempotent` true). 409 `CHUNK_CONFLICT`: another content has the same sequence.',
  params: z.object({ projectId: Ulid }),
  body: ResourceHistoryUpload,
  maxBodyBytes: maxUploadBytes,
  example: {
    ...{ workspaceId: exampleChatId, sessionId: exampleChatId, runtime: 'vm', sourceVersion: 1 },
    ...{ chunkSequence: 1_764_000_000_000, startedAt: 1_763_999_100_000, endedAt: 1_764_000_000_000 },
    ...{ sampleCount: 0, ...exampleChunk },
    completeness: { status: 'complete', source: 'cgroup-v2' },
    summary: { cpuMeanMillis: 120, memoryPeakBytes: 734_003_200 },
  },
  responses: { 200: ResourceHistoryUploadAnswer },
  errors: ['NOT_FOUND', 'GONE', 'CHUNK_CONFLICT', 'SERVICE_UNAVAILABLE'],
});

export const workspaceEviction = contract({
  summary: 'Report that a workspace was evicted',
  description:
    'The container is stopped, and its capture is verified (`complete` of an eviction). The workspace becomes `evicted`, its place is free, and a message or a restart restores it on another node. Interrupted work is continued once. A repeat changes nothing. 409 `CONTAINER_NOT_STOPPED` and `SNAPSHOT_NOT_VERIFIED` change nothing either; 410 when the workspace has ended, or another container has replaced the named one.',
  params: z.object({ projectId: Ulid, workspaceId: Ulid }),
  body: EvictionReport,
  responses: { 204: null },
  errors: [
    'NOT_FOUND',
    'GONE',
    'CONFLICT',
    'CONTAINER_NOT_STOPPED',
    'SNAPSHOT_NOT_VERIFIED',
    'SERVICE_UNAVAILABLE',
  ],
});
