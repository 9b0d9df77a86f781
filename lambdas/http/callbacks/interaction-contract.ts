import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import {
  CompleteUrlInteraction,
  CreateInteraction,
  CreateInteractionResult,
  InteractionId,
  interactionLimits,
  SettledInteraction,
  SettleInteraction,
} from '../../../protocol/interactions.js';
import { contract } from '../../edge/contract.js';

const workspace = z.object({ projectId: Ulid, workspaceId: Ulid });
const reported = z.object({ projectId: Ulid, workspaceId: Ulid, interactionId: InteractionId });
const errors = ['NOT_FOUND', 'GONE', 'INTERACTION_CONFLICT', 'SERVICE_UNAVAILABLE'];

const waiter = {
  protocolVersion: 1,
  interactionId: '6f1de0f7-2f3c-4c4e-9d53-3a1f5c7a9b20',
  generation: '0d3f7f0e-8d3c-4a39-9a51-5f4c8a1b2c3d',
  runtimeIdentity: 'run-1',
  agentSessionId: '01JD0000000000000000000000',
};

export const createInteraction = contract({
  summary: 'Report that an agent asks its person',
  description:
    'Send a request of an agent: a permission, a form or a link. The request waits for an answer until `deadlineAt` of the reply. A repeat with the same `payloadHash` returns `existing`. 409 `INTERACTION_CONFLICT`: the id belongs to another request; 409 `INTERACTION_NOT_OFFERED`: agents of a task with mode `task` cannot send forms and links; 429 `TOO_MANY_PENDING`: eight requests of the session wait.',
  params: workspace,
  body: CreateInteraction,
  maxBodyBytes: interactionLimits.requestBytes,
  example: {
    ...waiter,
    kind: 'permission',
    payloadHash: '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
    detail: {
      permissionName: 'Run npm test',
      options: [{ id: 'allow', kind: 'allow_once', name: 'Allow once' }],
    },
    safeSummary: { optionCount: 1 },
    deadlineAt: 1_795_341_600_000,
  },
  responses: { 201: CreateInteractionResult, 200: CreateInteractionResult },
  errors: [...errors, 'INTERACTION_NOT_OFFERED', 'SESSION_ENDED', 'TOO_MANY_PENDING'],
});

export const settleInteraction = contract({
  summary: 'Report that an agent no longer waits for an answer',
  description:
    'Ends the interaction if nobody has answered it; returns its state. A late or repeated report changes nothing.',
  params: reported,
  body: SettleInteraction,
  example: { ...waiter, reason: 'expired' },
  responses: { 200: SettledInteraction },
  errors,
});

export const completeInteractionUrl = contract({
  summary: 'Report that what a link asked for is done',
  description: 'Returns the state of the interaction, which stays as it is. A repeat changes nothing.',
  params: reported,
  body: CompleteUrlInteraction,
  example: { ...waiter, elicitationId: 'e-1' },
  responses: { 200: SettledInteraction },
  errors,
});
