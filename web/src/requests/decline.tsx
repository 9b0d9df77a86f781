import type { useAnswer } from './use-requests.js';

export interface QuestionProps<Asked> {
  readonly detail: Asked;
  readonly answer: ReturnType<typeof useAnswer>;
}

/** Every request but the one for a permission can be declined. */
export const Decline = ({ answer }: Pick<QuestionProps<unknown>, 'answer'>) => (
  <button
    type="button"
    className="secondary"
    disabled={answer.isPending}
    onClick={() => answer.mutate({ kind: 'declined' })}
  >
    Decline
  </button>
);
