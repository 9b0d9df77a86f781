import * as z from 'zod/mini';
import { InteractionSettings, interactionProtocolVersion } from './interactions.js';
import { ModelAddress } from './model-address.js';

/**
 * Agent sessions of a workspace: requests of the control plane to a node, prompt receipts and
 * checkpoint rollovers. docs/agent-sessions.md has the states and the effect of each request.
 */

/** The only version. A request with another version is refused. */
export const promptProtocolVersion = 1;

/** Ids of deliveries, operations, sessions and messages that a caller chooses. */
export const CallerId = z.string().check(z.regex(/^[A-Za-z0-9._:-]{1,128}$/));

export const agentTypes = [
  'claude-code',
  'openai-codex',
  'google-gemini',
  'mistral-vibe',
  'opencode',
  'amp',
] as const;
export const AgentType = z
  .enum(agentTypes)
  .check(z.describe('Coding agent. `amp` is experimental: its turns are not tested.'));
export type AgentType = z.infer<typeof AgentType>;

export const agentSessionStatuses = ['running', 'suspended', 'stopped', 'error'] as const;
export type AgentSessionStatus = (typeof agentSessionStatuses)[number];

/** What the host of a session does. */
export const hostStatuses = [
  'idle',
  'starting',
  'ready',
  'prompting',
  'recovering',
  'error',
  'stopped',
] as const;
export type HostStatus = (typeof hostStatuses)[number];

export const AgentSession = z.object({
  id: z.string(),
  workspaceId: z.string(),
  status: z.enum(agentSessionStatuses),
  hostStatus: z.enum(hostStatuses),
  viewerCount: z.int(),
  label: z.nullable(z.string()),
  agentType: z.nullable(AgentType),
  acpSessionId: z.nullable(z.string()),
  /** At most 200 characters. */
  lastPrompt: z.nullable(z.string()),
  errorMessage: z.nullable(z.string()),
  /** ISO-8601. */
  createdAt: z.string(),
  updatedAt: z.string(),
  stoppedAt: z.nullable(z.string()),
  suspendedAt: z.nullable(z.string()),
});
export type AgentSession = z.infer<typeof AgentSession>;
export const AgentSessionList = z.object({ sessions: z.array(AgentSession) });

/** A remote MCP server for the harness. Address and token are secrets. */
export const McpServer = z.strictObject({
  name: z.optional(z.string().check(z.regex(/^[A-Za-z0-9_-]{1,64}$/))),
  url: z.string().check(z.maxLength(2_048), z.refine(isAllowedMcpUrl, 'must be https, or http on loopback')),
  token: z.optional(z.string().check(z.maxLength(8_192), z.regex(/^[^\r\n]*$/))),
});
export type McpServer = z.infer<typeof McpServer>;
const McpServers = z.array(McpServer).check(z.maxLength(16));

// POST /workspaces/{workspaceId}/agent-sessions; repeatable with the same Idempotency-Key
export const CreateAgentSession = z.strictObject({
  sessionId: CallerId,
  label: z.optional(z.string().check(z.maxLength(200))),
  chatSessionId: z.optional(CallerId),
  projectId: z.optional(CallerId),
  mcpServers: z.optional(McpServers),
  acpInteractions: z.optional(InteractionSettings),
});
export type CreateAgentSession = z.infer<typeof CreateAgentSession>;

/** Limit of a prompt. Use an attachment for longer text. */
export const maxPromptLength = 200_000;
const PromptText = z.string().check(z.minLength(1), z.maxLength(maxPromptLength));

/** Without both, a request has no receipt. Another version has its own error code. */
const delivery = {
  protocolVersion: z.optional(z.int()),
  deliveryId: z.optional(CallerId),
  messageId: z.optional(CallerId),
};

// POST …/agent-sessions/{sessionId}/prompt
export const PromptAgentSession = z.strictObject({ ...delivery, prompt: PromptText });
export type PromptAgentSession = z.infer<typeof PromptAgentSession>;

export const PermissionMode = z.enum(['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions']);
export type PermissionMode = z.infer<typeof PermissionMode>;
export const Effort = z.enum(['low', 'medium', 'high', 'xhigh', 'max']);
export type Effort = z.infer<typeof Effort>;
export const TaskMode = z.enum(['task', 'conversation']);
export type TaskMode = z.infer<typeof TaskMode>;

// POST …/agent-sessions/{sessionId}/start
export const StartAgentSession = z.strictObject({
  ...delivery,
  agentType: AgentType,
  initialPrompt: PromptText,
  injectedInstructions: z.optional(z.string().check(z.maxLength(maxPromptLength))),
  mcpServers: z.optional(McpServers),
  model: z.optional(z.string().check(z.maxLength(200))),
  permissionMode: z.optional(PermissionMode),
  effort: z.optional(Effort),
  opencodeProvider: z.optional(z.string().check(z.maxLength(64))),
  opencodeBaseUrl: z.optional(ModelAddress),
  projectId: z.optional(CallerId),
  taskId: z.optional(CallerId),
  taskMode: z.optional(TaskMode),
  acpInteractions: z.optional(InteractionSettings),
});
export type StartAgentSession = z.infer<typeof StartAgentSession>;

export const receiptStates = ['accepted', 'in_flight', 'completed', 'ambiguous'] as const;
/** Error code of a completed receipt whose prompt was certainly never sent to the agent. */
export const neverInvoked = 'never_invoked';

export const PromptReceipt = z.object({
  deliveryId: z.string(),
  state: z.enum(receiptStates),
  runtimeIdentity: z.string(),
  /** Epoch milliseconds. */
  acceptedAt: z.int(),
  completedAt: z.nullable(z.int()),
  /** Error code of a failed or ambiguous prompt. */
  errorCode: z.optional(z.string()),
});
export type PromptReceipt = z.infer<typeof PromptReceipt>;

// GET …/prompt-receipts/{deliveryId}: 404 with this body for an unknown delivery
export const UnknownReceipt = z.object({
  deliveryId: z.string(),
  state: z.literal('not_found'),
  runtimeIdentity: z.string(),
  acceptedAt: z.null(),
  completedAt: z.null(),
});
export type UnknownReceipt = z.infer<typeof UnknownReceipt>;

/**
 * 202 new and 200 repeated: `accepted`; 409: `not_ready` (proof of non-acceptance) or `conflict`.
 */
export const PromptEnvelope = z.object({
  status: z.enum(['accepted', 'not_ready', 'conflict']),
  sessionId: z.string(),
  receipt: PromptReceipt,
});
export type PromptEnvelope = z.infer<typeof PromptEnvelope>;

/** Answers to requests without `deliveryId`: 202, or 409 with the host status. */
export const LegacyPromptAnswer = z.object({
  status: z.enum(['starting', 'prompting', 'busy', ...hostStatuses]),
  sessionId: z.optional(z.string()),
  message: z.optional(z.string()),
});
export type LegacyPromptAnswer = z.infer<typeof LegacyPromptAnswer>;

// POST …/cancel: 200 `cancelled`, 409 `idle`
export const CancelAnswer = z.object({ status: z.enum(['cancelled', 'idle']), message: z.string() });
export type CancelAnswer = z.infer<typeof CancelAnswer>;

export const rolloverStates = ['accepted', 'in_progress', 'completed', 'superseded', 'failed'] as const;
// POST …/checkpoint-rollovers: 202 new, 200 repeated, 409 operation_id_conflict
export const SubmitRollover = z.strictObject({
  protocolVersion: z.int(),
  operationId: CallerId,
  graceMs: z.optional(z.int().check(z.gte(0))),
});
export type SubmitRollover = z.infer<typeof SubmitRollover>;

export const rolloverErrorCodes = [
  'rollover_failed',
  'rollover_cancelled',
  'process_changed',
  'process_stop_failed',
  'rollover_deadline_exceeded',
  'strict_resume_failed',
  'session_identity_mismatch',
  'vm_runtime_interrupted',
] as const;
export const RolloverOperation = z.object({
  workspaceId: z.string(),
  sessionId: z.string(),
  operationId: z.string(),
  protocolVersion: z.int(),
  state: z.enum(rolloverStates),
  /** True when the process was stopped before the turn ended. */
  forced: z.boolean(),
  acpSessionId: z.nullable(z.string()),
  errorCode: z.nullable(z.enum(rolloverErrorCodes)),
  errorMessage: z.nullable(z.string()),
  /** ISO-8601. */
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type RolloverOperation = z.infer<typeof RolloverOperation>;

// GET /workspaces/{workspaceId}/agent-capabilities
export const AgentCapabilities = z.object({
  protocolVersion: z.literal(promptProtocolVersion),
  runtimeIdentity: z.string(),
  promptReceipts: z.object({
    supported: z.boolean(),
    lookup: z.boolean(),
    states: z.array(z.enum(receiptStates)),
  }),
  checkpointRollover: z.object({
    supported: z.boolean(),
    automatic: z.boolean(),
    states: z.array(z.enum(rolloverStates)),
    defaultGraceMs: z.int(),
    maxGraceMs: z.int(),
    operationTimeoutMs: z.int(),
  }),
  /** Absent from an agent that refuses `acpInteractions`. */
  acpInteractions: z.optional(
    z.object({
      version: z.literal(interactionProtocolVersion),
      answerEndpoint: z.boolean(),
      permissionBridge: z.boolean(),
    }),
  ),
});
export type AgentCapabilities = z.infer<typeof AgentCapabilities>;

function isAllowedMcpUrl(text: string): boolean {
  const url = URL.parse(text);
  if (!url) return false;
  return url.protocol === 'https:' || /^http:\/\/(?:localhost|127\.0\.0\.1):/.test(text);
}
