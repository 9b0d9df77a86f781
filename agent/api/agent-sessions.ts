import * as z from 'zod/mini';
import {
  AgentCapabilities,
  AgentSession,
  AgentSessionList,
  CallerId,
  CancelAnswer,
  CreateAgentSession,
  LegacyPromptAnswer,
  PromptAgentSession,
  PromptEnvelope,
  PromptReceipt,
  RolloverOperation,
  StartAgentSession,
  SubmitRollover,
  UnknownReceipt,
} from '../../protocol/agent-sessions.js';
import { AnswerInteraction, AnswerInteractionResult } from '../../protocol/interactions.js';
import { HibernateAgentSession, RestoreAgentSession, SnapshotOperation } from '../../protocol/snapshots.js';
import type { AgentContracts } from './contract.js';
import { Path } from './parameters.js';

const NoSuchSession = z.object({ error: z.literal('not_found'), message: z.string() });
const PromptAnswer = z.union([PromptEnvelope, LegacyPromptAnswer]);
const session = '/workspaces/{workspaceId}/agent-sessions/{sessionId}';
const mebibyte = 1_024 * 1_024;
/** Two texts of the greatest length fit, however they are escaped. */
const maxPromptBodyBytes = 4 * mebibyte;
/** A manifest with a few hundred entries fits. */

export const IdempotencyKey = z.string().check(z.minLength(1), z.maxLength(128));

const AgentSocketQuery = z.object({
  sessionId: z.optional(CallerId),
  idempotencyKey: z.optional(IdempotencyKey),
  worktree: z.optional(Path),
});

export const agentSessionContracts = {
  listAgentSessions: {
    method: 'get',
    path: '/workspaces/{workspaceId}/agent-sessions',
    token: 'workspace',
    workspace: 'present',
    summary: 'List the agent sessions of a workspace, oldest first',
    responses: { 200: AgentSessionList },
    errors: ['not_found'],
  },
  createAgentSession: {
    method: 'post',
    path: '/workspaces/{workspaceId}/agent-sessions',
    token: 'management',
    summary: 'Create an agent session without starting an agent',
    description:
      'A request that repeats the `Idempotency-Key` header of an earlier one returns the session that the earlier request created.',
    body: CreateAgentSession,
    responses: { 201: AgentSession },
    errors: ['session_conflict', 'invalid_transition'],
  },
  startAgentSession: {
    method: 'post',
    path: `${session}/start`,
    token: 'management',
    summary: 'Start the coding agent of a session with its first prompt',
    description:
      'A prompt with `protocolVersion` and `deliveryId` gets a receipt: 202 for a new delivery, 200 for a repeated one, 409 with `not_ready` or `conflict` when the prompt is not accepted.',
    body: StartAgentSession,
    maxBodyBytes: maxPromptBodyBytes,
    responses: { 200: PromptEnvelope, 202: PromptAnswer, 409: PromptAnswer },
    errors: ['unsupported_protocol_version', 'not_found'],
  },
  promptAgentSession: {
    method: 'post',
    path: `${session}/prompt`,
    token: 'management',
    summary: 'Send a prompt to a coding agent that is ready',
    description:
      'Receipts are those of a start. The node queues no prompt: 409 means that the prompt was not accepted.',
    body: PromptAgentSession,
    maxBodyBytes: maxPromptBodyBytes,
    responses: { 200: PromptEnvelope, 202: PromptAnswer, 409: PromptAnswer },
    errors: ['unsupported_protocol_version', 'not_found'],
  },
  readPromptReceipt: {
    method: 'get',
    path: `${session}/prompt-receipts/{deliveryId}`,
    token: 'management',
    summary: 'Read the receipt of a delivery',
    description: 'Returns 404 with state `not_found` when the session has no receipt of this delivery.',
    responses: { 200: PromptReceipt, 404: z.union([UnknownReceipt, NoSuchSession]) },
  },
  submitRollover: {
    method: 'post',
    path: `${session}/checkpoint-rollovers`,
    token: 'management',
    summary: 'Restart the harness of a session and load the same ACP session again',
    description:
      'A prompt in flight is cancelled first. Returns 202 for a new operation and 200 when the request repeats one.',
    body: SubmitRollover,
    responses: { 200: RolloverOperation, 202: RolloverOperation },
    errors: ['unsupported_protocol_version', 'operation_id_conflict', 'not_found'],
  },
  readRollover: {
    method: 'get',
    path: `${session}/checkpoint-rollovers/{operationId}`,
    token: 'management',
    summary: 'Read the state of a checkpoint rollover',
    responses: { 200: RolloverOperation },
    errors: ['not_found'],
  },
  readAgentCapabilities: {
    method: 'get',
    path: '/workspaces/{workspaceId}/agent-capabilities',
    token: 'management',
    summary: "Read the node's prompt and rollover capabilities and its runtime identity",
    responses: { 200: AgentCapabilities },
    errors: ['not_found'],
  },
  cancelPrompt: {
    method: 'post',
    path: `${session}/cancel`,
    token: 'management',
    summary: 'Cancel the prompt in flight',
    description: 'Returns 409 when no prompt is in flight.',
    responses: { 200: CancelAnswer, 409: CancelAnswer },
    errors: ['not_found'],
  },
  answerInteraction: {
    method: 'post',
    path: `${session}/interactions/{interactionId}/answer`,
    token: 'management',
    summary: 'Answer a request of the agent for a permission, a form or a link',
    description:
      'Returns 200 when the agent gets the answer, or got the same one before. Returns 409 when another answer came first, or the request no longer waits.',
    body: AnswerInteraction,
    responses: { 200: AnswerInteractionResult, 409: AnswerInteractionResult },
    errors: ['not_found'],
  },
  stopAgentSession: {
    method: 'post',
    path: `${session}/stop`,
    token: 'management',
    summary: 'Stop a session permanently',
    description: 'Ends the agent. A stopped session takes no prompts and cannot be resumed.',
    responses: { 200: AgentSession },
    errors: ['not_found'],
  },
  suspendAgentSession: {
    method: 'post',
    path: `${session}/suspend`,
    token: 'management',
    summary: 'End the agent of a session and keep its conversation',
    responses: { 200: AgentSession },
    errors: ['not_found', 'invalid_transition'],
  },
  resumeAgentSession: {
    method: 'post',
    path: `${session}/resume`,
    token: 'management',
    summary: 'Let a suspended or failed session take prompts again',
    responses: { 200: AgentSession },
    errors: ['not_found', 'invalid_transition'],
  },
  hibernateAgentSession: {
    method: 'post',
    path: `${session}/hibernate`,
    token: 'management',
    summary: 'Capture a snapshot of the workspace in the background',
    description:
      'Sessions and prompts go on. The node reports progress and result by the `session-snapshot` callbacks of the control plane. Repeating the request with the same `operationId` changes nothing; `accepted` is false while another operation of the workspace runs.',
    body: HibernateAgentSession,
    responses: { 202: SnapshotOperation },
    errors: ['not_found', 'invalid_transition', 'session_conflict'],
  },
  restoreAgentSession: {
    method: 'post',
    path: `${session}/restore`,
    token: 'management',
    summary: 'Restore the snapshot of the workspace in the background',
    description:
      'Restores the files and the conversations of all sessions. Prompts are refused until it ends. The node fetches the snapshot from the control plane and reports the result to it. Repeating the request with the same `operationId` changes nothing and reports the same result; `accepted` is false while another operation of the workspace runs.',
    body: RestoreAgentSession,
    responses: { 202: SnapshotOperation },
    errors: ['not_found', 'invalid_transition', 'session_conflict'],
  },
  agentSocket: {
    method: 'get',
    path: '/agent/ws',
    token: 'terminal',
    workspace: 'running',
    summary: 'Socket: watch a session with replay, prompt its agent and cancel',
    description:
      'Frames: docs/agent-sockets.md. Without `sessionId` the node creates a session; `idempotencyKey` makes that repeatable.',
    query: AgentSocketQuery,
    responses: { 101: null },
    errors: ['not_found', 'invalid_transition', 'session_not_running', 'session_create_failed'],
  },
} satisfies AgentContracts;
