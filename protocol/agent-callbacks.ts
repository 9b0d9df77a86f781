import * as z from 'zod/mini';
import { AgentType, CallerId } from './agent-sessions.js';
import { messageRoles } from './chat-messages.js';
import { Ulid } from './ids.js';
import { ObjectUrl } from './object-url.js';

/** What a node tells of its agent sessions, and what it asks for them. Bearer: the workspace's callback token. */

// POST /api/workspaces/{workspaceId}/agent-key; 404 when the person has stored none
export const AgentKeyRequest = z.strictObject({
  agentType: AgentType,
  /** Whose use of it is counted. */
  sessionId: z.optional(CallerId),
});
export type AgentKeyRequest = z.infer<typeof AgentKeyRequest>;
export const AgentKey = z.object({
  apiKey: z.string().check(z.minLength(1), z.maxLength(65_536)),
  /** `oauth-token`: a token, or for some kinds the whole authentication file. */
  credentialKind: z.enum(['api-key', 'oauth-token']),
  inferenceConfig: z.optional(
    z.object({
      provider: z.enum(['anthropic-passthrough', 'anthropic-proxy', 'openai-passthrough', 'openai-proxy']),
      /** `{wstoken}` in it stands for the callback token. */
      baseURL: z.string().check(z.maxLength(2_048)),
      model: z.optional(z.string().check(z.maxLength(200))),
      apiKeySource: z.enum(['callback-token', 'user-credential']),
    }),
  ),
});
export type AgentKey = z.infer<typeof AgentKey>;

// POST /api/workspaces/{workspaceId}/agent-settings; whatever is no 200 means: none
export const AgentSettingsRequest = z.strictObject({ agentType: AgentType });
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
  /** Variables of the profile and the skill that a task was started with. */
  envVars: z.array(z.object({ key: z.string(), value: z.string(), isSecret: z.boolean() })),
  /** Names of stored variables that are not set, and why. */
  refused: z.optional(z.array(z.object({ key: z.string(), reason: z.string() }))),
  /** Nothing stores files for agents yet. */
  files: z.array(z.object({ path: z.string(), content: z.string(), isSecret: z.boolean() })),
});
export type RuntimeAssets = z.infer<typeof RuntimeAssets>;

// GET /api/workspaces/{workspaceId}/runtime
export const WorkspaceRuntime = z.object({
  workspaceId: Ulid,
  generation: z.int(),
  repository: z.nullable(z.string()),
  /** Without a credential: `git-token` gives one. */
  cloneUrl: z.nullable(z.string()),
  branch: z.nullable(z.string()),
  /** Where the branch begins that is not there yet. */
  baseBranch: z.nullable(z.string()),
  gitUserName: z.nullable(z.string()),
  gitUserEmail: z.nullable(z.string()),
  devcontainerConfigName: z.nullable(z.string()),
});

/** A key, a token, or a whole authentication file of an agent, which is the longest of them. */
export const CredentialText = z.string().check(
  z.minLength(8),
  z.maxLength(65_536),
  z.refine((text) => !/[\p{Cc}--[\n\r\t]]/v.test(text), 'No control characters'),
);

// POST /api/workspaces/{workspaceId}/agent-credential-sync
export const AgentCredentialSync = z.strictObject({
  agentType: AgentType,
  /** The one that was given the credential. */
  sessionId: CallerId,
  credentialKind: z.enum(['api-key', 'oauth-token']),
  credential: CredentialText,
});
export type AgentCredentialSync = z.infer<typeof AgentCredentialSync>;
export const AgentCredentialSyncResult = z.object({ success: z.literal(true), updated: z.boolean() });

/** Largest content of one message, in bytes of UTF-8; what is longer is an object, of which the message holds the beginning. */
export const maxMessageBytes = 102_400;
/** Of such an object; an agent cuts what is longer still and marks it. */
export const maxWholeBytes = 10 * 1024 ** 2;
/** Messages of one batch that may have one. */
export const maxWholesPerBatch = 10;

/** All that a message says where its `content` is only the beginning, uploaded before it is told. */
export const WholeContent = z.strictObject({
  bytes: z.int().check(z.gte(1), z.lte(maxWholeBytes)),
  sha256: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
});
export type WholeContent = z.infer<typeof WholeContent>;

// POST /api/workspaces/{workspaceId}/message-content: where to upload it; a repeat is harmless
export const MessageContentRequest = z.strictObject({
  generation: z.int(),
  /** The chat session. */
  sessionId: CallerId,
  messageId: CallerId,
  whole: WholeContent,
});
export type MessageContentRequest = z.infer<typeof MessageContentRequest>;
/** For one PUT with just these headers, within ten minutes. */
export const MessageContentUpload = z.object({
  uploadUrl: ObjectUrl,
  headers: z.record(z.string(), z.string()),
});
export type MessageContentUpload = z.infer<typeof MessageContentUpload>;

/** Of one request with messages: of a message as long as may be, also when JSON writes each of its bytes as six. */
export const maxBatchBytes = 640 * 1024;

export const agentActivities = ['prompting', 'idle', 'recovering', 'error'] as const;
/** What an agent does: told by itself, or with the messages of the same moment. */
export const AgentActivity = z.strictObject({
  activity: z.enum(agentActivities),
  /** Epoch milliseconds; the same in every report of one prompt. Only while prompting. */
  promptStartedAt: z.optional(z.int()),
  agentType: z.optional(AgentType),
  restartCount: z.int().check(z.gte(0)),
  statusError: z.optional(z.string().check(z.maxLength(2_048))),
});
export type AgentActivity = z.infer<typeof AgentActivity>;

// POST /api/workspaces/{workspaceId}/messages; one chat session a batch
export const ConversationMessage = z.strictObject({
  /** Made where the message arose; a repeat is the same message. */
  messageId: CallerId,
  /** The chat session. */
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
  /** Grows by one a message of this chat session and `streamId`; tells order, and shows gaps. */
  sequence: z.int().check(z.gte(1)),
  origin: z.optional(z.enum(['user', 'system'])),
});
export type ConversationMessage = z.infer<typeof ConversationMessage>;
export const MessageBatch = z.strictObject({
  generation: z.int(),
  /**
   * Which counting of this chat session the numbers belong to: the same as long as the node has its state, through all
   * generations of the workspace. Without it each generation counts anew.
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
  /** What the agent that says them does by now. */
  activity: z.optional(
    z.strictObject({
      ...AgentActivity.shape,
      projectId: Ulid,
      /** The agent session of the messages' chat session. */
      agentSessionId: CallerId,
    }),
  ),
});
export type MessageBatch = z.infer<typeof MessageBatch>;
/**
 * `persisted` counts new ones, `duplicates` those that were there already; both are then done with. So is the activity, where
 * it was `activityTaken`; else it is to be told by itself.
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

// POST /api/projects/{projectId}/node-acp-heartbeat; bearer: the callback token of the node, or of a workspace on it
export const AgentHeartbeat = z.strictObject({
  nodeId: Ulid,
  /** One for all sessions of the project there is enough: this one tells nothing more. */
  acpSdkSessionId: z.optional(z.string().check(z.maxLength(200))),
});

export const usageStatuses = ['allowed', 'allowed_warning', 'rejected', 'unknown'] as const;
export const UsageWindow = z.strictObject({
  /** Such as `go.weekly`. */
  windowType: z.string().check(z.minLength(1), z.maxLength(64)),
  provider: z.string().check(z.minLength(1), z.maxLength(64)),
  source: z.string().check(z.minLength(1), z.maxLength(64)),
  status: z.enum(usageStatuses),
  utilizationPercent: z.optional(z.number().check(z.gte(0))),
  limitAmount: z.optional(z.number()),
  remainingAmount: z.optional(z.number()),
  windowMinutes: z.optional(z.number().check(z.gte(0))),
  /** ISO-8601. */
  resetsAt: z.optional(z.iso.datetime()),
  observedAt: z.iso.datetime(),
});
export type UsageWindow = z.infer<typeof UsageWindow>;
// POST /api/projects/{projectId}/acp-sessions/{sessionId}/usage; best effort, newer figures take the place of older ones
export const AgentUsageReport = z.strictObject({
  nodeId: Ulid,
  workspaceId: Ulid,
  agentType: AgentType,
  source: z.string().check(z.minLength(1), z.maxLength(64)),
  observedAt: z.iso.datetime(),
  rateLimits: z.array(UsageWindow).check(z.minLength(1), z.maxLength(16)),
});
export type AgentUsageReport = z.infer<typeof AgentUsageReport>;
