import type { InteractionServerFrame } from '../../../protocol/interaction-frames.js';
import { type Outcome, type Question, reportedReason } from './question.js';

interface WaitingRequest {
  readonly interactionId: string;
  readonly question: Question;
  readonly createdAt: number;
  readonly deadlineAt: number;
}

export function pendingFrame(request: WaitingRequest): InteractionServerFrame {
  const { interactionId, question, createdAt, deadlineAt } = request;
  const { kind, detail } = question;
  return { type: 'interaction_pending', interactionId, kind, detail, createdAt, deadlineAt };
}

export function settledFrame(interactionId: string, outcome: Outcome): InteractionServerFrame {
  const frame = { type: 'interaction_settled', interactionId } as const;
  if (outcome.kind === 'answered') return { ...frame, state: 'answered', by: outcome.by, reason: null };
  const reason = reportedReason(outcome);
  return { ...frame, state: reason === 'expired' ? 'expired' : 'cancelled', by: null, reason };
}
