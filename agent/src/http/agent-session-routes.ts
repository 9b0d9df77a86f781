import type { WebSocket } from 'ws';
import * as z from 'zod/mini';
import { agentCloseCodes, agentFrameLimits } from '../../../protocol/agent-frames.js';
import {
  type AgentCapabilities,
  promptProtocolVersion,
  receiptStates,
  rolloverStates,
} from '../../../protocol/agent-sessions.js';
import { interactionProtocolVersion } from '../../../protocol/interactions.js';
import { agentSessionContracts as contracts, IdempotencyKey } from '../../api/agent-sessions.js';
import type { AgentSessions } from '../agent-sessions/agent-sessions.js';
import type { InteractionAnswers } from '../agent-sessions/interaction-answers.js';
import type { PromptIntake } from '../agent-sessions/prompt-intake.js';
import type { RolloverLimits, Rollovers } from '../agent-sessions/rollovers.js';
import type { SessionRecords } from '../agent-sessions/session-records.js';
import { AgentSocket } from '../conversation/agent-socket.js';
import type { AttachedSession, SessionDirectory } from '../conversation/conversation.js';
import type { LiveConversations } from '../conversation/live-conversations.js';
import { AgentError } from '../errors.js';
import type { Log } from '../shared/log.js';
import type { Captures } from '../snapshots/captures.js';
import type { Restores } from '../snapshots/restores.js';
import type { Router } from './router.js';

export interface AgentSessionRouteDeps {
  readonly sessions: AgentSessions;
  readonly answers: InteractionAnswers;
  readonly intake: PromptIntake;
  readonly records: Pick<SessionRecords, 'findReceipt' | 'runtimeIdentity'>;
  readonly rollovers: Rollovers;
  readonly rolloverLimits: RolloverLimits;
  readonly captures: Captures;
  readonly restores: Restores;
}

/** Agent sessions for the control plane; people may list them. */
export function addAgentSessionRoutes(router: Router, deps: AgentSessionRouteDeps): void {
  addLifecycleRoutes(router, deps);
  addPromptRoutes(router, deps);
  addInteractionRoute(router, deps);
  addReceiptRoute(router, deps);
  addRolloverRoutes(router, deps);
  addSnapshotRoutes(router, deps);
}

function addLifecycleRoutes(router: Router, { sessions }: AgentSessionRouteDeps): void {
  router.route(contracts.listAgentSessions, ({ workspace }) => ({
    status: 200,
    body: { sessions: sessions.list(workspace.workspaceId) },
  }));

  router.route(contracts.createAgentSession, ({ params, body }, { request }) => {
    const key = z.optional(IdempotencyKey).parse(request.headers['idempotency-key']) ?? null;
    return { status: 201, body: sessions.create(params.workspaceId, body, key) };
  });

  router.route(contracts.stopAgentSession, async ({ params }) => ({
    status: 200,
    body: await sessions.stop(params),
  }));

  router.route(contracts.suspendAgentSession, async ({ params }) => ({
    status: 200,
    body: await sessions.suspend(params),
  }));

  router.route(contracts.resumeAgentSession, async ({ params }) => ({
    status: 200,
    body: await sessions.resume(params),
  }));
}

function addPromptRoutes(router: Router, { sessions }: AgentSessionRouteDeps): void {
  router.route(contracts.startAgentSession, ({ params, body }) => sessions.start(params, body));

  router.route(contracts.promptAgentSession, ({ params, body }) => sessions.prompt(params, body));

  router.route(contracts.cancelPrompt, ({ params }) => {
    const body = sessions.cancel(params);
    return { status: body.status === 'cancelled' ? 200 : 409, body };
  });
}

function addInteractionRoute(router: Router, { sessions, answers }: AgentSessionRouteDeps): void {
  router.route(contracts.answerInteraction, ({ params, body }) => {
    if (params.interactionId !== body.interactionId)
      throw new AgentError('invalid_request', 'interactionId of the body is not that of the path');
    sessions.session(params);
    const answer = answers.deliver(params, body);
    const isTaken = answer.status === 'consumed' || answer.status === 'duplicate';
    return { status: isTaken ? 200 : 409, body: answer };
  });
}

function addReceiptRoute(router: Router, { sessions, intake, records }: AgentSessionRouteDeps): void {
  router.route(contracts.readPromptReceipt, ({ params }) => {
    const receipt = records.findReceipt(params);
    if (receipt) return { status: 200, body: intake.describeReceipt(receipt) };
    // Without the session nothing is known about its receipts.
    sessions.session(params);
    const { runtimeIdentity } = records;
    const { deliveryId } = params;
    const times = { acceptedAt: null, completedAt: null };
    return { status: 404, body: { deliveryId, state: 'not_found', runtimeIdentity, ...times } };
  });
}

function addRolloverRoutes(router: Router, deps: AgentSessionRouteDeps): void {
  const { sessions, rollovers } = deps;

  router.route(contracts.submitRollover, ({ params, body }) => {
    const { status, operation } = rollovers.submit(sessions.session(params), body);
    return { status, body: operation };
  });

  router.route(contracts.readRollover, ({ params }) => {
    sessions.session(params);
    return { status: 200, body: rollovers.find(params) };
  });

  const capabilities = capabilitiesOf(deps);
  router.route(contracts.readAgentCapabilities, ({ params }) => {
    sessions.list(params.workspaceId);
    return { status: 200, body: capabilities };
  });
}

function capabilitiesOf({ records, rolloverLimits }: AgentSessionRouteDeps): AgentCapabilities {
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
    acpInteractions: { version: interactionProtocolVersion, answerEndpoint: true, permissionBridge: true },
  };
}

function addSnapshotRoutes(router: Router, { captures, restores }: AgentSessionRouteDeps): void {
  router.route(contracts.hibernateAgentSession, ({ params, body }) => ({
    status: 202,
    body: captures.begin(params, body),
  }));

  router.route(contracts.restoreAgentSession, ({ params, body }) => ({
    status: 202,
    body: restores.begin(params, body),
  }));
}

export interface AgentSocketDeps {
  readonly sessions: SessionDirectory;
  readonly conversations: LiveConversations;
  readonly times: { readonly pingMs: number; readonly pongMs: number };
  readonly log: Log;
}

export function addAgentSocket(router: Router, deps: AgentSocketDeps): void {
  const maxBytes = agentFrameLimits.maxMessageBytes;
  router.socket(contracts.agentSocket, maxBytes, async ({ workspace, query }) => {
    const attached = await deps.sessions.attach({
      workspaceId: workspace.workspaceId,
      sessionId: query.sessionId ?? null,
      worktree: query.worktree ?? null,
      idempotencyKey: query.idempotencyKey ?? null,
    });
    return (client) => watch(client, attached, deps);
  });
}

function watch(client: WebSocket, { session, controls }: AttachedSession, deps: AgentSocketDeps): void {
  const { conversations, times, log } = deps;
  const key = { workspaceId: session.workspaceId, sessionId: session.sessionId };
  // The session may have been stopped during the handshake.
  if (controls.hostStatus === 'stopped') {
    client.on('error', () => client.terminate());
    const message = 'The session is not running';
    client.send(JSON.stringify({ error: 'session_not_running', message }));
    client.close(agentCloseCodes.notRunning, 'session_not_running');
    return;
  }
  log.info('Agent socket opened', key);
  const conversation = conversations.of(session);
  new AgentSocket(client, { session: key, conversation, controls, times, log });
}
