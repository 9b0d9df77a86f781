import type { SQLOutputValue } from 'node:sqlite';
import * as z from 'zod/mini';
import {
  type AgentSession,
  type AgentSessionStatus,
  AgentType,
  agentSessionStatuses,
  type HostStatus,
  McpServer,
} from '../../../protocol/agent-sessions.js';
import { InteractionSettings } from '../../../protocol/interactions.js';
import type { HarnessSettings } from '../harness/harness.js';

/** An agent session as stored on disk. Its host knows what the process does. */
export interface SessionRecord {
  readonly workspaceId: string;
  readonly sessionId: string;
  readonly status: AgentSessionStatus;
  readonly label: string | null;
  /** Null until the first start. */
  readonly agentType: AgentType | null;
  /** Null until the harness opens a session. Written before the first prompt is sent to it. */
  readonly acpSessionId: string | null;
  /** The ACP session could not be loaded. The first turn of the next one begins with a summary. */
  readonly isConversationLost: boolean;
  readonly lastPrompt: string | null;
  readonly errorMessage: string | null;
  readonly chatSessionId: string | null;
  readonly projectId: string | null;
  readonly taskId: string | null;
  readonly taskMode: 'task' | 'conversation' | null;
  /** Path inside the workspace; null is the repository. */
  readonly workDir: string | null;
  readonly settings: HarnessSettings;
  readonly mcpServers: readonly McpServer[];
  /** How its agent may ask people through the control plane; null when only viewers answer. */
  readonly interactions: InteractionSettings | null;
  readonly idempotencyKey: string | null;
  /** Restarts of the harness after a crash, since the session was created. */
  readonly restartCount: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly stoppedAt: string | null;
  readonly suspendedAt: string | null;
}

/** Identifies one session on this node. */
export type SessionKey = Pick<SessionRecord, 'workspaceId' | 'sessionId'>;

const Text = z.nullable(z.string());
const Settings = z.object({
  model: Text,
  permissionMode: Text,
  effort: Text,
  opencodeProvider: Text,
  opencodeBaseUrl: Text,
});
export const noSettings: HarnessSettings = {
  model: null,
  permissionMode: null,
  effort: null,
  opencodeProvider: null,
  opencodeBaseUrl: null,
};

const Row = z.object({
  workspace_id: z.string(),
  session_id: z.string(),
  status: z.enum(agentSessionStatuses),
  label: Text,
  agent_type: z.nullable(AgentType),
  acp_session_id: Text,
  is_conversation_lost: z.int(),
  last_prompt: Text,
  error_message: Text,
  chat_session_id: Text,
  project_id: Text,
  task_id: Text,
  task_mode: z.nullable(z.enum(['task', 'conversation'])),
  work_dir: Text,
  settings: z.string(),
  mcp_servers: z.string(),
  interactions: Text,
  idempotency_key: Text,
  restart_count: z.int(),
  created_at: z.string(),
  updated_at: z.string(),
  stopped_at: Text,
  suspended_at: Text,
});

export function toRecord(row: Record<string, SQLOutputValue>): SessionRecord {
  const fields = Row.parse(row);
  return {
    workspaceId: fields.workspace_id,
    sessionId: fields.session_id,
    status: fields.status,
    label: fields.label,
    agentType: fields.agent_type,
    acpSessionId: fields.acp_session_id,
    isConversationLost: fields.is_conversation_lost === 1,
    lastPrompt: fields.last_prompt,
    errorMessage: fields.error_message,
    chatSessionId: fields.chat_session_id,
    projectId: fields.project_id,
    taskId: fields.task_id,
    taskMode: fields.task_mode,
    workDir: fields.work_dir,
    settings: Settings.parse(JSON.parse(fields.settings)),
    mcpServers: z.array(McpServer).parse(JSON.parse(fields.mcp_servers)),
    interactions: interactionsOf(fields.interactions),
    idempotencyKey: fields.idempotency_key,
    restartCount: fields.restart_count,
    createdAt: fields.created_at,
    updatedAt: fields.updated_at,
    stoppedAt: fields.stopped_at,
    suspendedAt: fields.suspended_at,
  };
}

/** Null also for settings of another release: then only viewers answer. */
function interactionsOf(stored: string | null): InteractionSettings | null {
  return stored === null ? null : (InteractionSettings.safeParse(JSON.parse(stored)).data ?? null);
}

/** Omits settings, MCP servers and idempotency keys: they may hold secrets. */
export function describeSession(
  session: SessionRecord,
  hosted: {
    readonly host: { readonly status: HostStatus };
    readonly sink: { readonly viewerCount: number };
  } | null,
): AgentSession {
  return {
    id: session.sessionId,
    workspaceId: session.workspaceId,
    status: session.status,
    hostStatus: hosted?.host.status ?? statusWithoutHost(session.status),
    viewerCount: hosted?.sink.viewerCount ?? 0,
    label: session.label,
    agentType: session.agentType,
    acpSessionId: session.acpSessionId,
    lastPrompt: session.lastPrompt,
    errorMessage: session.errorMessage,
    createdAt: session.createdAt,
    updatedAt: session.updatedAt,
    stoppedAt: session.stoppedAt,
    suspendedAt: session.suspendedAt,
  };
}

export function statusWithoutHost(status: AgentSessionStatus): HostStatus {
  return status === 'error' || status === 'stopped' ? status : 'idle';
}
