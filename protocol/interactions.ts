import * as z from 'zod/mini';
import { type Entered, FormContent, FormSchema } from './interaction-forms.js';
import { EligibleUrl } from './interaction-urls.js';

/**
 * Interactions: requests of a coding agent that a person answers. docs/interactions.md has the
 * states and the effect of each call.
 */

/** The only version. A request with another version is refused. */
export const interactionProtocolVersion = 1;

export const interactionKinds = ['permission', 'form', 'url'] as const;
export type InteractionKind = (typeof interactionKinds)[number];

export const interactionLimits = {
  pendingPerSession: 8,
  requestBytes: 32_768,
  options: 16,
  optionIdChars: 128,
  optionNameChars: 200,
  titleChars: 512,
  toolCallIdChars: 256,
  toolKindChars: 64,
  answerBytes: 16_384,
  responseBytes: 65_536,
  /** Answers of which a node keeps the receipt. */
  receipts: 256,
  elicitationIdChars: 256,
} as const;

const text = (chars: number) => z.string().check(z.minLength(1), z.maxLength(chars));
const Sha256 = z.string().check(z.regex(/^[0-9a-f]{64}$/));
const Uuid = z.string().check(z.regex(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/));
export const InteractionId = Uuid;

export const optionKinds = ['allow_once', 'allow_always', 'reject_once', 'reject_always', 'custom'] as const;

const PermissionOption = z.strictObject({
  id: text(interactionLimits.optionIdChars),
  kind: z.enum(optionKinds),
  name: text(interactionLimits.optionNameChars),
});

export const PermissionDetail = z.strictObject({
  /** What the agent asks to do, in one line. */
  permissionName: text(interactionLimits.titleChars),
  options: z.array(PermissionOption).check(
    z.minLength(1),
    z.maxLength(interactionLimits.options),
    z.refine((options) => new Set(options.map(({ id }) => id)).size === options.length, 'ids must differ'),
  ),
  /** Never its input, which may contain secrets. */
  toolCall: z.optional(
    z.strictObject({
      toolCallId: z.optional(text(interactionLimits.toolCallIdChars)),
      title: z.optional(text(interactionLimits.titleChars)),
      kind: z.optional(text(interactionLimits.toolKindChars)),
    }),
  ),
});

export const FormDetail = z.strictObject({ message: text(8_000), schema: FormSchema });

export const UrlDetail = z.strictObject({
  message: text(8_000),
  url: EligibleUrl,
  elicitationId: text(interactionLimits.elicitationIdChars),
});

/** Names the waiter of a request on its node. */
const waiter = {
  protocolVersion: z.literal(interactionProtocolVersion),
  interactionId: InteractionId,
  /** New for each connection to the coding agent. */
  generation: Uuid,
  runtimeIdentity: text(512),
  agentSessionId: z.string().check(z.minLength(1), z.maxLength(256)),
};

const request = {
  ...waiter,
  /** SHA-256 of the request with an empty `payloadHash`. A repeat has the same. */
  payloadHash: Sha256,
  safeSummary: z.strictObject({
    toolCallId: z.optional(text(interactionLimits.toolCallIdChars)),
    optionCount: z.optional(z.int().check(z.gte(0), z.lte(interactionLimits.options))),
  }),
  /** Epoch milliseconds, by the node's clock. */
  deadlineAt: z.int().check(z.gte(0)),
  upstreamRequestId: z.optional(text(256)),
};

// POST /api/projects/{projectId}/workspaces/{workspaceId}/acp-interactions: 201 new, 200 repeated
export const CreateInteraction = z.discriminatedUnion('kind', [
  z.strictObject({ ...request, kind: z.literal('permission'), detail: PermissionDetail }),
  z.strictObject({ ...request, kind: z.literal('form'), detail: FormDetail }),
  z.strictObject({ ...request, kind: z.literal('url'), detail: UrlDetail }),
]);
export type CreateInteraction = z.infer<typeof CreateInteraction>;
export type InteractionDetail = CreateInteraction['detail'];
export const CreateInteractionResult = z.object({
  status: z.enum(['created', 'existing']),
  /** Epoch milliseconds: the deadline of the request, or an earlier one. */
  deadlineAt: z.int(),
});

export const settleReasons = [
  'wrapper_cancelled',
  'connection_closed',
  'connection_replaced',
  'session_stopped',
  'expired',
  'completed',
] as const;
export type SettleReason = (typeof settleReasons)[number];

// POST …/acp-interactions/{interactionId}/settle; harmless when it comes late or twice
export const SettleInteraction = z.strictObject({ ...waiter, reason: z.enum(settleReasons) });
export type SettleInteraction = z.infer<typeof SettleInteraction>;

// POST …/acp-interactions/{interactionId}/complete-url: what the link asked for is done
export const CompleteUrlInteraction = z.strictObject({
  ...waiter,
  elicitationId: text(interactionLimits.elicitationIdChars),
});
export type CompleteUrlInteraction = z.infer<typeof CompleteUrlInteraction>;

export const interactionStates = [
  'pending',
  'answered',
  'delivery_confirmed',
  'delivery_unconfirmed',
  'interrupted',
  'expired',
  'cancelled',
] as const;
export type InteractionState = (typeof interactionStates)[number];

/** Of settle and complete-url. */
export const SettledInteraction = z.object({ state: z.enum(interactionStates) });

/** SHA-256 of the text that `answerText` makes. */
const answerHash = Sha256;
export const InteractionDecision = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('selected_option'),
    optionId: text(interactionLimits.optionIdChars),
    answerHash,
  }),
  /** With the values of a form; without them for a link. */
  z.strictObject({ kind: z.literal('accepted'), content: z.optional(FormContent), answerHash }),
  z.strictObject({ kind: z.literal('declined'), answerHash }),
]);
export type InteractionDecision = z.infer<typeof InteractionDecision>;

type Answered =
  | { readonly kind: 'selected_option'; readonly optionId: string }
  | { readonly kind: 'accepted'; readonly content?: Entered | undefined }
  | { readonly kind: 'declined' };

/** The text whose hash identifies an answer: option id, values by key, or the decision itself. */
export function answerText(decision: Answered): string {
  if (decision.kind === 'selected_option') return decision.optionId;
  if (decision.kind === 'declined' || !decision.content) return decision.kind;
  const { content } = decision;
  return JSON.stringify(Object.fromEntries(Object.entries(content).sort(([a], [b]) => (a < b ? -1 : 1))));
}

// POST /workspaces/{workspaceId}/agent-sessions/{sessionId}/interactions/{interactionId}/answer
export const AnswerInteraction = z.strictObject({
  protocolVersion: waiter.protocolVersion,
  interactionId: waiter.interactionId,
  generation: waiter.generation,
  runtimeIdentity: waiter.runtimeIdentity,
  decision: InteractionDecision,
});
export type AnswerInteraction = z.infer<typeof AnswerInteraction>;
// 200: consumed, duplicate; 409: the others
export const AnswerInteractionResult = z.object({
  status: z.enum(['consumed', 'duplicate', 'stale_generation', 'no_waiter', 'conflict']),
  interactionId: z.string(),
  generation: z.string(),
  runtimeIdentity: z.string(),
});
export type AnswerInteractionResult = z.infer<typeof AnswerInteractionResult>;

/** Delays after the first attempts to bring an answer or a report to the other side. */
export const interactionRetryDelaysMs = [1_000, 5_000, 30_000, 120_000, 300_000] as const;
/** The delay after each later attempt. */
export const interactionSteadyDelayMs = 300_000;

const milliseconds = z.int().check(z.gte(1), z.lte(86_400_000));
const count = z.int().check(z.gte(1), z.lte(1_048_576));

/** How the agents of a session may ask people. Without it each request is cancelled. */
export const InteractionSettings = z
  .strictObject({
    enabled: z.boolean(),
    formsEnabled: z.boolean(),
    urlsEnabled: z.boolean(),
    protocolVersion: z.literal(interactionProtocolVersion),
    permissionDeadlineMs: milliseconds,
    formDeadlineMs: milliseconds,
    urlDeadlineMs: milliseconds,
    maxDeadlineMs: milliseconds,
    deadlineMarginMs: milliseconds,
    requestMaxBytes: count,
    responseMaxBytes: count,
    answerMaxBytes: count,
    answerStringMaxBytes: count,
    optionsMaxCount: count,
    optionIdMaxChars: count,
    optionNameMaxChars: count,
    formSchemaMaxBytes: count,
    formSchemaMaxProperties: count,
    formSchemaMaxEnum: count,
    urlMaxChars: count,
    urlElicitationIdMaxChars: count,
    urlRedirectDepth: count,
    receiptLimit: count,
    settleRetryDelaysMs: z.array(milliseconds).check(z.minLength(1), z.maxLength(16)),
    settleRetrySteadyMs: milliseconds,
  })
  .check(
    z.refine(
      ({ maxDeadlineMs, ...limits }) =>
        [limits.permissionDeadlineMs, limits.formDeadlineMs, limits.urlDeadlineMs].every(
          (deadline) => deadline <= maxDeadlineMs,
        ),
      'no deadline may be later than maxDeadlineMs',
    ),
  );
export type InteractionSettings = z.infer<typeof InteractionSettings>;
