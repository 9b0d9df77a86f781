import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import {
  FormDetail,
  InteractionDecision,
  InteractionId,
  interactionKinds,
  interactionStates,
  PermissionDetail,
  UrlDetail,
} from '../../../protocol/interactions.js';
import { contract } from '../../edge/contract.js';
import { nextCursor, pageQuery } from '../../edge/contract-parts.js';

const session = z.object({ projectId: Ulid, sessionId: Ulid });
const interactionOfSession = z.object({ projectId: Ulid, sessionId: Ulid, interactionId: InteractionId });

const Waiting = z.object({
  interactionId: InteractionId,
  kind: z.enum(interactionKinds),
  state: z.enum(interactionStates),
  createdAt: z.iso.datetime(),
  /** Without an answer until then it expires. */
  deadlineAt: z.iso.datetime(),
});

/** Of the fields, other members get the first five. */
const own = {
  updatedAt: z.iso.datetime(),
  answeredAt: z.nullable(z.iso.datetime()),
  /** Of the answer to the agent; null before an answer. */
  deliveryState: z.nullable(z.enum(['pending', 'confirmed', 'unconfirmed', 'interrupted'])),
  /** Marker of the session while it waits. */
  attentionMarkerId: z.string(),
  toolCallId: z.nullable(z.string()),
  /** Only of a link: when the agent reported it as done. */
  completedAt: z.nullable(z.iso.datetime()),
};
const Summary = z.extend(Waiting, own);
const Listed = z.extend(Waiting, {
  updatedAt: z.optional(own.updatedAt),
  answeredAt: z.optional(own.answeredAt),
  deliveryState: z.optional(own.deliveryState),
  attentionMarkerId: z.optional(own.attentionMarkerId),
  toolCallId: z.optional(own.toolCallId),
  completedAt: z.optional(own.completedAt),
});

export const interactions = contract({
  summary: 'List the interactions of a chat session',
  description:
    'Return what the agent asks its person: in `pending` all that wait for an answer, in `settled` the last 20 or more others, newest end first; `cursor` leads to earlier ones. Members other than the creator of the session see of pending ones only id, kind, state and times, and no settled ones.',
  params: session,
  query: z.strictObject({ cursor: pageQuery.cursor }),
  responses: {
    200: z.object({ pending: z.array(Listed), settled: z.array(Summary), cursor: nextCursor }),
  },
});

export const interaction = contract({
  summary: 'Get an interaction of a chat session',
  description:
    'Return an interaction with its request, which is stored encrypted. `detail` is null from an hour after its end. Only the person who created the session can read it.',
  params: interactionOfSession,
  answers: {
    200: {
      summary: {
        interactionId: '6f1de0f7-2f3c-4c4e-9d53-3a1f5c7a9b20',
        ...{ kind: 'permission', state: 'pending', createdAt: '2026-11-21T12:00:00.000Z' },
        ...{ deadlineAt: '2026-11-21T14:00:00.000Z', updatedAt: '2026-11-21T12:00:00.000Z' },
        ...{ answeredAt: null, deliveryState: null, toolCallId: 'call-1', completedAt: null },
        attentionMarkerId: '6f1de0f7-2f3c-4c4e-9d53-3a1f5c7a9b20',
      },
      detail: {
        permissionName: 'Run npm test',
        options: [{ id: 'allow', kind: 'allow_once', name: 'Allow once' }],
      },
    },
  },
  responses: {
    200: z.object({
      summary: Summary,
      detail: z.nullable(z.union([PermissionDetail, FormDetail, UrlDetail])),
    }),
  },
  errors: ['NOT_FOUND', 'NOT_SESSION_CREATOR'],
});

/** The longest values, and the rest of the answer. */
const maxAnswerBodyBytes = 20 * 1024;

export const answerInteraction = contract({
  summary: 'Answer an interaction of a chat session',
  description:
    "Answer what the agent asks: `selected_option` with `optionId` for a permission, `accepted` with `content` for a form, `accepted` for a link, `declined` for any. `answerHash` is the SHA-256, in hex, of the option's id, of the values as JSON with sorted keys, or of the word `accepted` or `declined`. A repeat with the same `answerKey` and decision returns the present state; another answer, or one after the end, is 409 `INTERACTION_SETTLED`. Only the person who created the session can answer, and only from the console: the header `Origin` must be its address.",
  params: interactionOfSession,
  maxBodyBytes: maxAnswerBodyBytes,
  headers: { Origin: 'The address of the console. Required.' },
  body: z.strictObject({
    answerKey: z.string().check(z.minLength(1), z.maxLength(128)),
    decision: InteractionDecision,
  }),
  example: {
    answerKey: 'a1',
    decision: {
      kind: 'declined',
      answerHash: 'a8bfacf3bcd75164698d9d70aacd2ce5a5bb0993f5a9badf2e37b396fe5986d9',
    },
  },
  responses: { 200: z.object({ accepted: z.literal(true), state: z.enum(interactionStates) }) },
  errors: ['NOT_FOUND', 'NOT_SESSION_CREATOR', 'INTERACTION_SETTLED', 'SERVICE_UNAVAILABLE'],
});
