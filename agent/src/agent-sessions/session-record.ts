import type { AgentSessionStatus, AgentType, McpServer } from '../../../protocol/agent-sessions.js';
import type { HarnessSettings } from '../harness/harness.js';

/** A coding-agent session as it is on disk; what its process does at the moment is known to its host alone. */
export interface SessionRecord {
  readonly workspaceId: string;
  readonly sessionId: string;
  readonly status: AgentSessionStatus;
  readonly label: string | null;
  /** Null until the first start. */
  readonly agentType: AgentType | null;
  /** Of the harness; null until it has opened a session. Written before the first prompt is handed to it. */
  readonly acpSessionId: string | null;
  readonly lastPrompt: string | null;
  readonly errorMessage: string | null;
  readonly chatSessionId: string | null;
  readonly projectId: string | null;
  readonly taskId: string | null;
  readonly taskMode: 'task' | 'conversation' | null;
  /** As the workspace sees it; null is the repository. */
  readonly workDir: string | null;
  readonly settings: HarnessSettings;
  readonly mcpServers: readonly McpServer[];
  readonly idempotencyKey: string | null;
  /** How often its harness was started again after a crash, ever. */
  readonly restartCount: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly stoppedAt: string | null;
  readonly suspendedAt: string | null;
}

/** Names one session on this node. */
export type SessionKey = Pick<SessionRecord, 'workspaceId' | 'sessionId'>;
