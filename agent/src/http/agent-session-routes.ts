import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod/mini';
import {
  type AgentCapabilities,
  CallerId,
  CreateAgentSession,
  PromptAgentSession,
  promptProtocolVersion,
  receiptStates,
  rolloverStates,
  StartAgentSession,
  SubmitRollover,
  type UnknownReceipt,
} from '../../../protocol/agent-sessions.js';
import { Ulid } from '../../../protocol/ids.js';
import { HibernateAgentSession, RestoreAgentSession } from '../../../protocol/snapshots.js';
import type { AgentSessions } from '../agent-sessions/agent-sessions.js';
import type { PromptIntake } from '../agent-sessions/prompt-intake.js';
import type { RolloverLimits, Rollovers } from '../agent-sessions/rollovers.js';
import type { SessionRecords } from '../agent-sessions/session-records.js';
import type { TokenChecks } from '../auth/token-checks.js';
import type { Hibernation } from '../snapshots/hibernation.js';
import type { Workspaces } from '../workspaces/workspaces.js';
import { admitTo } from './workspace-request.js';

const WorkspaceParams = z.object({ workspaceId: Ulid });
const SessionParams = z.object({ workspaceId: Ulid, sessionId: CallerId });
const DeliveryParams = z.object({ workspaceId: Ulid, sessionId: CallerId, deliveryId: CallerId });
const OperationParams = z.object({ workspaceId: Ulid, sessionId: CallerId, operationId: CallerId });
const IdempotencyKey = z.optional(z.string().check(z.minLength(1), z.maxLength(128)));

/** Room for two texts of the greatest length, however they are escaped. */
const promptBodyBytes = 4 * 1_024 * 1_024;

export interface AgentSessionRouteParts {
  readonly tokens: TokenChecks;
  readonly workspaces: Workspaces;
  readonly sessions: AgentSessions;
  readonly intake: PromptIntake;
  readonly records: Pick<SessionRecords, 'findReceipt' | 'runtimeIdentity'>;
  readonly rollovers: Rollovers;
  readonly rolloverLimits: RolloverLimits;
  readonly hibernation: Hibernation;
}

/** Agent sessions for the control plane; their list also for people. */
export function addAgentSessionRoutes(app: FastifyInstance, parts: AgentSessionRouteParts): void {
  addLifeRoutes(app, parts);
  addPromptRoutes(app, parts);
  addRolloverRoutes(app, parts);
  addSnapshotRoutes(app, parts);
}

const base = '/workspaces/:workspaceId/agent-sessions';

function addLifeRoutes(app: FastifyInstance, parts: AgentSessionRouteParts): void {
  const { tokens, workspaces, sessions } = parts;

  app.get(base, async (request) => {
    const { workspaceId } = await admitTo(request, { tokens, find: (id) => workspaces.find(id) });
    return { sessions: sessions.list(workspaceId) };
  });

  app.post(base, async (request, reply) => {
    const { workspaceId } = await admit(request, tokens, WorkspaceParams);
    const idempotencyKey = IdempotencyKey.parse(request.headers['idempotency-key']) ?? null;
    const session = sessions.create(workspaceId, CreateAgentSession.parse(request.body), idempotencyKey);
    return reply.status(201).send(session);
  });

  for (const verb of ['stop', 'suspend', 'resume'] as const)
    app.post(`${base}/:sessionId/${verb}`, async (request) =>
      sessions[verb](await admit(request, tokens, SessionParams)),
    );
}

function addPromptRoutes(app: FastifyInstance, parts: AgentSessionRouteParts): void {
  const { tokens, sessions, intake, records } = parts;
  const options = { bodyLimit: promptBodyBytes };

  app.post(`${base}/:sessionId/start`, options, async (request, reply) => {
    const key = await admit(request, tokens, SessionParams);
    return answer(reply, sessions.start(key, StartAgentSession.parse(request.body)));
  });

  app.post(`${base}/:sessionId/prompt`, options, async (request, reply) => {
    const key = await admit(request, tokens, SessionParams);
    return answer(reply, sessions.prompt(key, PromptAgentSession.parse(request.body)));
  });

  app.post(`${base}/:sessionId/cancel`, async (request, reply) => {
    const body = sessions.cancel(await admit(request, tokens, SessionParams));
    return answer(reply, { status: body.status === 'cancelled' ? 200 : 409, body });
  });

  app.get(`${base}/:sessionId/prompt-receipts/:deliveryId`, async (request, reply) => {
    const key = await admit(request, tokens, DeliveryParams);
    const receipt = records.findReceipt(key);
    if (receipt) return intake.describeReceipt(receipt);
    // Only of a session that is here can it be said that there is no such receipt.
    sessions.session(key);
    const { deliveryId } = key;
    const unknown: UnknownReceipt = {
      deliveryId,
      state: 'not_found',
      runtimeIdentity: records.runtimeIdentity,
      acceptedAt: null,
      completedAt: null,
    };
    return reply.status(404).send(unknown);
  });
}

/** With a manifest that names a few hundred entries. */
const manifestBodyBytes = 2 * 1_024 * 1_024;

function addSnapshotRoutes(app: FastifyInstance, { tokens, hibernation }: AgentSessionRouteParts): void {
  app.post(`${base}/:sessionId/hibernate`, async (request) => {
    const key = await admit(request, tokens, SessionParams);
    return hibernation.hibernate(key, HibernateAgentSession.parse(request.body));
  });

  app.post(`${base}/:sessionId/restore`, { bodyLimit: manifestBodyBytes }, async (request) => {
    const key = await admit(request, tokens, SessionParams);
    return hibernation.restore(key, RestoreAgentSession.parse(request.body));
  });
}

function addRolloverRoutes(app: FastifyInstance, parts: AgentSessionRouteParts): void {
  const { tokens, sessions, rollovers } = parts;

  app.post(`${base}/:sessionId/checkpoint-rollovers`, async (request, reply) => {
    const session = sessions.session(await admit(request, tokens, SessionParams));
    const { status, operation } = rollovers.submit(session, SubmitRollover.parse(request.body));
    return answer(reply, { status, body: operation });
  });

  app.get(`${base}/:sessionId/checkpoint-rollovers/:operationId`, async (request) => {
    const key = await admit(request, tokens, OperationParams);
    sessions.session(key);
    return rollovers.find(key);
  });

  const capabilities = capabilitiesOf(parts);
  app.get('/workspaces/:workspaceId/agent-capabilities', async (request) => {
    const { workspaceId } = await admit(request, tokens, WorkspaceParams);
    sessions.list(workspaceId);
    return capabilities;
  });
}

function capabilitiesOf({ records, rolloverLimits }: AgentSessionRouteParts): AgentCapabilities {
  return {
    protocolVersion: promptProtocolVersion,
    runtimeIdentity: records.runtimeIdentity,
    promptReceipts: { supported: true, lookup: true, states: [...receiptStates] },
    checkpointRollover: {
      supported: true,
      automatic: false,
      states: [...rolloverStates],
      defaultGraceMs: rolloverLimits.graceMs,
      maxGraceMs: rolloverLimits.maxGraceMs,
      operationTimeoutMs: rolloverLimits.timeoutMs,
    },
  };
}

/** Who asks is checked before what they ask; a token is verified once, for that is what costs. */
async function admit<Schema extends z.ZodMiniType<{ readonly workspaceId: string }>>(
  request: FastifyRequest,
  tokens: TokenChecks,
  Params: Schema,
): Promise<z.infer<Schema>> {
  const named = WorkspaceParams.safeParse(request.params);
  if (named.success) await tokens.workspace(request.headers, named.data.workspaceId);
  else await tokens.management(request.headers);
  return Params.parse(request.params);
}

function answer(reply: FastifyReply, { status, body }: { readonly status: number; readonly body: unknown }) {
  return reply.status(status).send(body);
}
