import * as z from 'zod/mini';
import { AgentType } from '../../../protocol/agent-sessions.js';
import { Ulid } from '../../../protocol/ids.js';
import { EndedBecause } from '../../domain/endings/ended-because.js';
import { contract } from '../../edge/contract.js';
import { creationHeader } from '../../edge/idempotency-header.js';

const workspace = z.object({ workspaceId: Ulid });

const AgentSession = z.object({
  id: Ulid,
  workspaceId: Ulid,
  /**
   * `error`: the agent of a running session has failed; a message starts it again. `suspended`: its
   * workspace stopped or failed; a restart continues it.
   */
  status: z.enum(['running', 'error', 'suspended', 'stopped']),
  /** Why its agent does not run, in words and numbers. */
  endedBecause: z.nullable(EndedBecause),
  label: z.nullable(z.string()),
  agentType: z.nullable(AgentType),
  /** The chat session that shows its conversation; null outside of projects. */
  chatSessionId: z.nullable(Ulid),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  stoppedAt: z.nullable(z.iso.datetime()),
});

export const create = contract({
  summary: 'Create an agent session in a workspace',
  headers: creationHeader('agent session'),
  description:
    'Create an agent session in a running workspace of yours. Its agent type, model, effort, permission mode and variables are resolved now, from the request, the agent profile, the skill, the project, your own settings and the platform, in this order. The agent starts with the first prompt: open `/agent/ws` on the node with a terminal token and the id of this agent session, or send a message to its chat session. Pass `chatSessionId` to give an agent to a chat session of yours that has none; otherwise a new chat session is created, within the limit of `POST /api/projects/{projectId}/sessions`. At most 10 agent sessions run in a workspace. 400 `WORKSPACE_NOT_RUNNING` while a workspace that wakes is being restored. Each call without `Idempotency-Key` creates another one.',
  params: workspace,
  body: z.strictObject({
    label: z.optional(z.string().check(z.trim(), z.minLength(1), z.maxLength(50))),
    agentType: z.optional(AgentType),
    /** An agent profile of the project of the workspace. */
    agentProfileId: z.optional(Ulid),
    /** A skill of the project of the workspace. */
    skillId: z.optional(Ulid),
    /** A chat session of yours in the same project, active, without an agent and without a task. */
    chatSessionId: z.optional(Ulid),
  }),
  responses: { 201: AgentSession },
  errors: [
    'CONFLICT',
    'WORKSPACE_NOT_RUNNING',
    'IDEMPOTENCY_KEY_REUSED',
    'AGENT_SESSION_LIMIT_REACHED',
    'CHAT_LIMIT_REACHED',
    'SESSION_NOT_JOINABLE',
    'SERVICE_UNAVAILABLE',
  ],
});

export const list = contract({
  summary: 'List the agent sessions of a workspace',
  description:
    'Return the running agent sessions, newest first, and those whose agent has failed (`error`, as the node reports it for sessions with a chat session) or that a restart of the workspace continues (`suspended`). Stopped ones are not listed.',
  params: workspace,
  responses: { 200: z.object({ sessions: z.array(AgentSession) }) },
});

export const stop = contract({
  summary: 'Stop an agent session',
  description:
    'Stop the agent session and its agent permanently. Its conversation stays readable in its chat session. A repeat returns the same result.',
  params: z.extend(workspace, { sessionId: Ulid }),
  responses: { 200: z.object({ status: z.literal('stopped') }) },
  errors: ['SERVICE_UNAVAILABLE'],
});
