import * as z from 'zod/mini';
import { FormContent } from './interaction-forms.js';
import {
  type InteractionDetail,
  InteractionId,
  type InteractionKind,
  interactionLimits,
  type SettleReason,
} from './interactions.js';

/** Frames of `/agent/ws` for requests that a person answers. */

export type InteractionServerFrame =
  /** A request waits. It may come twice, with the same id. */
  | {
      readonly type: 'interaction_pending';
      readonly interactionId: string;
      readonly kind: InteractionKind;
      readonly detail: InteractionDetail;
      /** Epoch milliseconds. */
      readonly createdAt: number;
      readonly deadlineAt: number;
    }
  /** It no longer waits: answered, or why the node agent ended it. */
  | {
      readonly type: 'interaction_settled';
      readonly interactionId: string;
      readonly state: 'answered' | 'expired' | 'cancelled';
      /** Who answered; null without an answer. */
      readonly by: 'viewer' | 'control_plane' | null;
      /** Null for an answer. */
      readonly reason: SettleReason | null;
    }
  /** To the sender of an answer that was not taken. */
  | {
      readonly type: 'interaction_refused';
      readonly interactionId: string;
      readonly code: 'already_answered' | 'not_pending' | 'invalid_answer';
      readonly message: string;
    };

/** As `InteractionDecision`, without the hash, which the node computes itself. */
const Decision = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('selected_option'),
    optionId: z.string().check(z.minLength(1), z.maxLength(interactionLimits.optionIdChars)),
  }),
  z.object({ kind: z.literal('accepted'), content: z.optional(FormContent) }),
  z.object({ kind: z.literal('declined') }),
]);

export const AnswerInteractionFrame = z.object({
  type: z.literal('answer_interaction'),
  interactionId: InteractionId,
  decision: Decision,
});
export type AnswerInteractionFrame = z.infer<typeof AnswerInteractionFrame>;
