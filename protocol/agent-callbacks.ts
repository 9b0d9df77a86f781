import * as z from 'zod/mini';
import { AgentType, CallerId } from './agent-sessions.js';
import { messageRoles } from './chat-messages.js';
import { Ulid } from './ids.js';
import { ObjectUrl } from './object-url.js';
import { ReportedWindow } from './usage-windows.js';

/** Reports and requests of a node for its agent sessions, with the workspace's callback token. */

// POST /api/workspaces/{workspaceId}/agent-key; 404 when no key is stored
export const AgentKeyRequest = z.strictObject({
  agentType: AgentType,
  /** The session whose use of the key is counted. */
  sessionId: z.optional(CallerId),
});
export type AgentKeyRequest = z.infer<typeof AgentKeyRequest>;
export const AgentKey = z.object({
  apiKey: z.string().check(z.minLength(1), z.maxLength(65_536)),
  /** `oauth-token`: a token, or for some agent types the whole authentication file. */
  credentialKind: z.enum(['api-key', 'oauth-token']),
  inferenceConfig: z.optional(
    z.object({
      provider: z.enum(['anthropic-passthrough', 'anthropic-proxy', 'openai-passthrough', 'openai-proxy']),
      /** `{wstoken}` is replaced by the callback token. */
      baseURL: z.string().check(z.maxLength(2_048)),
      model: z.optional(z.string().check(z.maxLength(200))),
      apiKeySource: z.enum(['callback-token', 'user-credential']),
    }),
  ),
});
export type AgentKey = z.infer<typeof AgentKey>;

// POST /api/workspaces/{workspaceId}/agent-settings; any status but 200 means no settings
export const AgentSettingsRequest = z.strictObject({
  agentType: AgentType,
  /** The settings that were resolved for this session, if it has some. */
  agentSessionId: z.optional(Ulid),
});
export const AgentSettings = z.object({
  model: z.optional(z.nullable(z.string())),
  permissionMode: z.optional(z.nullable(z.string())),
  effort: z.optional(z.nullable(z.string())),
  opencodeProvider: z.optional(z.nullable(z.string())),
  opencodeBaseUrl: z.optional(z.nullable(z.string())),
});
export type AgentSettings = z.infer<typeof AgentSettings>;

// GET /api/workspaces/{workspaceId}/runtime-assets?agentSessionId=
export const RuntimeAssets = z.object({
  workspaceId: Ulid,
  /** Variables of the profile and the skill of the task. */
  envVars: z.array(z.object({ key: z.string(), value: z.string(), isSecret: z.boolean() })),
  /** Stored variables that are not set, with reasons. */
  refused: z.optional(z.array(z.object({ key: z.string(), reason: z.string() }))),
  /** The control plane stores none yet. */
  files: z.array(z.object({ path: z.string(), content: z.string(), isSecret: z.boolean() })),
});
export type RuntimeAssets = z.infer<typeof RuntimeAssets>;

// GET /api/workspaces/{workspaceId}/runtime
export const WorkspaceRuntime = z.object({
  workspaceId: Ulid,
  generation: z.int(),
  repository: z.nullable(z.string()),
  /** Without a credential: see `git-token`. */
  cloneUrl: z.nullable(z.string()),
  branch: z.nullable(z.string()),
  /** Start point of a branch that does not exist yet. */
  baseBranch: z.nullable(z.string()),
  gitUserName: z.nullable(z.string()),
  gitUserEmail: z.nullable(z.string()),
  devcontainerConfigName: z.nullable(z.string()),
});

/** A key, a token or a whole authentication file of an agent. */
export const CredentialText = z.string().check(
  z.minLength(8),
  z.maxLength(65_536),
  z.refine((text) => !/[\p{Cc}--[\n\r\t]]/v.test(text), 'No control characters'),
);

// POST /api/workspaces/{workspaceId}/agent-credential-sync
export const AgentCredentialSync = z.strictObject({
  agentType: AgentType,
  /** The session that got the credential. */
  sessionId: CallerId,
  credentialKind: z.enum(['api-key', 'oauth-token']),
  credential: CredentialText,
});
export type AgentCredentialSync = z.infer<typeof AgentCredentialSync>;
export const AgentCredentialSyncResult = z.object({ success: z.literal(true), updated: z.boolean() });

/** Limit of message content in bytes of UTF-8. Longer content is an object. */
export const maxMessageBytes = 102_400;
/** Limit of such an object. An agent truncates and marks longer content. */
export const maxWholeBytes = 10 * 1024 ** 2;
/** Limit of messages with an object in one batch. */
const maxWholesPerBatch = 10;

/** The uploaded whole content of a message whose `content` holds only the start. */
export const WholeContent = z.strictObject({
  bytes: z.int().check(z.gte(1), z.lte(maxWholeBytes)),
  sha256: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
});
export type WholeContent = z.infer<typeof WholeContent>;

// POST /api/workspaces/{workspaceId}/message-content: returns the upload address; may be repeated
export const MessageContentRequest = z.strictObject({
  generation: z.int(),
  /** The chat. */
  sessionId: CallerId,
  messageId: CallerId,
  whole: WholeContent,
});
export type MessageContentRequest = z.infer<typeof MessageContentRequest>;
/** Valid for one PUT with exactly these headers, for ten minutes. */
export const MessageContentUpload = z.object({
  uploadUrl: ObjectUrl,
  headers: z.record(z.string(), z.string()),
});
export type MessageContentUpload = z.infer<typeof MessageContentUpload>;

/** Limit of a request body: one message of the longest content, with six bytes of JSON a byte. */
export const maxBatchBytes = 640 * 1024;

export const runtimeWorkStates = ['inactive', 'active', 'settling'] as const;
export const agentActivities = ['prompting', 'idle', 'recovering', 'error'] as const;
/** Activity of an agent, reported on its own or with messages. */
export const AgentActivity = z.strictObject({
  activity: z.enum(agentActivities),
  /** Epoch milliseconds; the same in every report of one prompt. Only while prompting. */
  promptStartedAt: z.optional(z.int()),
  agentType: z.optional(AgentType),
  restartCount: z.int().check(z.gte(0)),
  statusError: z.optional(z.string().check(z.maxLength(2_048))),
  /** Work of the harness outside of turns, such as a command in the background. */
  runtimeWorkState: z.optional(z.enum(runtimeWorkStates)),
  runtimeWorkCount: z.optional(z.int().check(z.gte(0), z.lte(256))),
  runtimeWorkSource: z.optional(z.string().check(z.minLength(1), z.maxLength(64))),
  /** Epoch milliseconds of the last sign of progress. */
  runtimeWorkProgressAt: z.optional(z.int().check(z.gte(0))),
});
export type AgentActivity = z.infer<typeof AgentActivity>;

// POST /api/workspaces/{workspaceId}/messages; one chat a batch
export const ConversationMessage = z.strictObject({
  /** Generated by the sender. A repeated id is the same message. */
  messageId: CallerId,
  /** The chat. */
  sessionId: CallerId,
  role: z.enum(messageRoles),
  content: z
    .string()
    .check(
      z.refine(
        (text) => new TextEncoder().encode(text).length <= maxMessageBytes,
        `at most ${maxMessageBytes} bytes`,
      ),
    ),
  toolMetadata: z.optional(z.nullable(z.record(z.string(), z.unknown()))),
  whole: z.optional(WholeContent),
  /** ISO-8601, by the node's clock. */
  timestamp: z.iso.datetime(),
  /** Counts the messages of this chat and `streamId`. Defines their order and shows gaps. */
  sequence: z.int().check(z.gte(1)),
  origin: z.optional(z.enum(['user', 'system'])),
});
export type ConversationMessage = z.infer<typeof ConversationMessage>;
export const MessageBatch = z.strictObject({
  generation: z.int(),
  /**
   * Identifies the counter of `sequence`: one for all generations of the workspace while the node
   * keeps its state. Without it, each generation has its own counter.
   */
  streamId: z.optional(CallerId),
  messages: z.array(ConversationMessage).check(
    z.minLength(1),
    z.maxLength(100),
    z.refine(
      (messages) => messages.filter(({ whole }) => whole).length <= maxWholesPerBatch,
      `At most ${maxWholesPerBatch} of them with a whole content`,
    ),
  ),
  /** The current activity of the agent of these messages. */
  activity: z.optional(
    z.strictObject({
      ...AgentActivity.shape,
      projectId: Ulid,
      /** The agent session of the chat. */
      agentSessionId: CallerId,
    }),
  ),
});
export type MessageBatch = z.infer<typeof MessageBatch>;
/**
 * `persisted` counts new messages, `duplicates` known ones; the node deletes both. Without
 * `activityTaken`, the node reports the activity on its own.
 */
export const MessageBatchResult = z.object({
  persisted: z.int(),
  duplicates: z.int(),
  activityTaken: z.optional(z.boolean()),
});
export type MessageBatchResult = z.infer<typeof MessageBatchResult>;

// POST /api/projects/{projectId}/acp-sessions/{sessionId}/activity
export const ActivityReport = z.strictObject({
  ...AgentActivity.shape,
  nodeId: Ulid,
  workspaceId: Ulid,
  generation: z.int(),
});
export type ActivityReport = z.infer<typeof ActivityReport>;

// POST /api/projects/{projectId}/node-acp-heartbeat
// Bearer: callback token of the node, or of a workspace on it
export const AgentHeartbeat = z.strictObject({
  nodeId: Ulid,
  /** One heartbeat covers all sessions of the project on the node. */
  acpSdkSessionId: z.optional(z.string().check(z.maxLength(200))),
});

// POST /api/projects/{projectId}/acp-sessions/{sessionId}/usage; not retried
export const AgentUsageReport = z.strictObject({
  nodeId: Ulid,
  workspaceId: Ulid,
  agentType: AgentType,
  source: z.string().check(z.minLength(1), z.maxLength(64)),
  observedAt: z.iso.datetime(),
  rateLimits: z.array(ReportedWindow).check(z.minLength(1), z.maxLength(16)),
});
export type AgentUsageReport = z.infer<typeof AgentUsageReport>;
