import * as z from 'zod/mini';
import { AgentType } from '../../../protocol/agent-sessions.js';
import { Ulid } from '../../../protocol/ids.js';
import { contract } from '../../edge/contract.js';

const workspace = z.object({ workspaceId: Ulid });

const AgentSession = z.object({
  id: Ulid,
  workspaceId: Ulid,
  status: z.enum(['running', 'stopped']),
  label: z.nullable(z.string()),
  agentType: z.nullable(AgentType),
  /** The chat that tells its conversation; null outside of projects. */
  chatSessionId: z.nullable(Ulid),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  stoppedAt: z.nullable(z.iso.datetime()),
});

export const create = contract({
  summary: 'Make an agent session in a workspace',
  description:
    'It waits on the node for its first prompt: open `/agent/ws` there with a terminal token and this id. At most ten run in a workspace.',
  params: workspace,
  body: z.strictObject({
    label: z.optional(z.string().check(z.trim(), z.minLength(1), z.maxLength(50))),
    agentType: z.optional(AgentType),
  }),
  responses: { 201: AgentSession },
  errors: ['CONFLICT', 'AGENT_SESSION_LIMIT_REACHED', 'SERVICE_UNAVAILABLE'],
});

export const list = contract({
  summary: 'Agent sessions of a workspace that run, newest first',
  params: workspace,
  responses: { 200: z.object({ sessions: z.array(AgentSession) }) },
});

export const stop = contract({
  summary: 'Stop an agent session',
  description: 'For good; its conversation stays readable. A repeat answers the same.',
  params: z.extend(workspace, { sessionId: Ulid }),
  responses: { 200: z.object({ status: z.literal('stopped') }) },
  errors: ['SERVICE_UNAVAILABLE'],
});
