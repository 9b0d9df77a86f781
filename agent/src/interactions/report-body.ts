import { createHash } from 'node:crypto';
import type { CreateInteraction, SettleInteraction } from '../../../protocol/interactions.js';
import type { Question } from './question.js';

/** The fields that name a request in every call. */
export type ReportedWaiter = Omit<SettleInteraction, 'reason'>;

/** The hash is that of the request with an empty hash: a repeat has the same. */
export function createRequest(
  waiter: ReportedWaiter,
  question: Question,
  deadlineAt: number,
): CreateInteraction {
  const request = { ...waiter, payloadHash: '', ...question, deadlineAt };
  const payloadHash = createHash('sha256').update(JSON.stringify(request)).digest('hex');
  return { ...request, payloadHash };
}
