import * as z from 'zod/mini';
import { agentTypes } from '../../../protocol/agent-sessions.js';
import { Ulid } from '../../../protocol/ids.js';
import { EndedBecause } from '../endings/ended-because.js';
import { ResolvedLaunch } from '../launch/resolve-launch.js';
import type { Change } from '../records/changes.js';
import { type RecordChange, recordChange } from '../records/record-change.js';

/** The limit of running agent sessions in one workspace. */
export const maxRunningSessions = 10;

/** One agent in one workspace. The node has the state of its process. */
export const AgentSession = z.object({
  agentSessionId: Ulid,
  workspaceId: Ulid,
  /** The generation of the workspace that it was created in. Later generations do not have it. */
  generation: z.int(),
  userId: Ulid,
  projectId: z.nullable(Ulid),
  /** The chat that shows its conversation; null outside of projects. */
  chatId: z.nullable(Ulid),
  /** `suspended`: its workspace stopped or failed, and continues it with the next start. */
  status: z.enum(['running', 'suspended', 'stopped']),
  label: z.nullable(z.string()),
  agentType: z.nullable(z.enum(agentTypes)),
  /** A person's session: its profile and skill, and its settings as they were resolved. */
  agentProfileId: z.optional(z.nullable(Ulid)),
  skillId: z.optional(z.nullable(Ulid)),
  launch: z.optional(ResolvedLaunch),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  stoppedAt: z.nullable(z.iso.datetime()),
  /** Why its agent does not run, in words; absent while it does. */
  endedBecause: z.optional(EndedBecause),
  /** The last time that its workspace stopped or failed. */
  suspendedAt: z.optional(z.iso.datetime()),
  /** The last time that a restart of its workspace continued it. */
  resumedAt: z.optional(z.iso.datetime()),
});
export type AgentSession = z.infer<typeof AgentSession>;

/** Sorts right before the workspace, so that one query reads both. */
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

/** Every change of an agent session's row is made here. Clients see no version of it. */
export const agentSessionChange = (
  { workspaceId, agentSessionId }: Pick<AgentSession, 'workspaceId' | 'agentSessionId'>,
  change: Omit<RecordChange<AgentSession>, 'isInternal'>,
): Change =>
  recordChange<AgentSession>(agentSessionKey(workspaceId, agentSessionId), { ...change, isInternal: true });
