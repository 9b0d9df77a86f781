import * as z from 'zod/mini';
import { agentTypes } from '../../../protocol/agent-sessions.js';
import { Ulid } from '../../../protocol/ids.js';

/** The most sessions of one workspace that may run at once. */
export const maxRunningSessions = 10;

/** A coding agent's session as the control plane knows it; the node knows the process behind it. */
export const AgentSession = z.object({
  agentSessionId: Ulid,
  workspaceId: Ulid,
  /** The life of the workspace it was made in: another one does not have it. */
  generation: z.int(),
  userId: Ulid,
  projectId: z.nullable(Ulid),
  /** Whose conversation it tells; only in a project. */
  chatId: z.nullable(Ulid),
  status: z.enum(['running', 'stopped']),
  label: z.nullable(z.string()),
  agentType: z.nullable(z.enum(agentTypes)),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  stoppedAt: z.nullable(z.iso.datetime()),
});
export type AgentSession = z.infer<typeof AgentSession>;

/** Right before the workspace itself, so that both are one query. */
export const agentSessionPrefix = 'SESSION#';

export const agentSessionKey = (workspaceId: string, agentSessionId: string) => ({
  pk: `WORKSPACE#${workspaceId}`,
  sk: `${agentSessionPrefix}${agentSessionId}`,
});

export const agentSessionItem = (session: AgentSession) => ({
  ...agentSessionKey(session.workspaceId, session.agentSessionId),
  entity: 'agent-session',
  schemaVersion: 1,
  ...session,
});
