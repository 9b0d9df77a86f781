import { createHash } from 'node:crypto';
import { formProblem } from '../../../protocol/interaction-forms.js';
import { answerText, type CreateInteraction, type SettleReason } from '../../../protocol/interactions.js';

type Parts<Request> = Request extends CreateInteraction
  ? Pick<Request, 'kind' | 'detail' | 'safeSummary'>
  : never;

/** A request of a coding agent to a person. */
export type Question = Parts<CreateInteraction>;

/** The answer of the person. */
export type Answer = Parameters<typeof answerText>[0];
export type Answerer = 'viewer' | 'control_plane';

/** How a question ends. `too_many` was never shown to anybody. */
export type Outcome =
  | { readonly kind: 'answered'; readonly answer: Answer; readonly by: Answerer }
  | { readonly kind: 'ended'; readonly reason: SettleReason | 'too_many' };

/** Null: the control plane has the answer already, or never had the question. */
export function reportedReason(outcome: Outcome): SettleReason | null {
  if (outcome.kind === 'answered') return outcome.by === 'viewer' ? 'completed' : null;
  return outcome.reason === 'too_many' ? null : outcome.reason;
}

/** Two answers with the same hash are the same decision. */
export function hashOf(answer: Answer): string {
  return createHash('sha256').update(answerText(answer)).digest('hex');
}

/** Whether the question offers this answer. The control plane has checked it; a viewer has not. */
export function fits(question: Question, answer: Answer): boolean {
  if (answer.kind === 'declined') return true;
  if (question.kind === 'permission')
    return (
      answer.kind === 'selected_option' && question.detail.options.some(({ id }) => id === answer.optionId)
    );
  if (answer.kind !== 'accepted') return false;
  if (question.kind === 'url') return answer.content === undefined;
  return formProblem(question.detail.schema, answer.content ?? {}) === undefined;
}
