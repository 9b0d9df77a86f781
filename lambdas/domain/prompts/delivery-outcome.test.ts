import { describe, expect, it } from 'vitest';
import type { PromptReceipt } from '../../../protocol/agent-sessions.js';
import { type DeliveryOutcome, maxAttempts, type NodeAnswer, outcomeOf } from './delivery-outcome.js';

const now = new Date('2026-11-21T10:00:00.000Z');
const later = (seconds: number) => new Date(now.getTime() + seconds * 1_000);

const attempted = (overrides = {}) => ({
  deliveryAttempts: 1,
  attemptStartedAt: now.toISOString(),
  runtimeIdentity: 'run-1',
  deadlineAt: later(3_600).toISOString(),
  ...overrides,
});
const receipt = (state: PromptReceipt['state']): PromptReceipt => ({
  deliveryId: 'd',
  state,
  runtimeIdentity: 'run-1',
  acceptedAt: now.getTime(),
  completedAt: null,
});
const retry = (reason: string, seconds: number, attempts: number) => ({
  to: 'retry_wait',
  reason,
  at: later(seconds),
  attempts,
});

describe('the result of a delivery attempt', () => {
  it.each<[string, NodeAnswer, object]>([
    ['taken', { is: 'has_receipt', receipt: receipt('in_flight') }, { to: 'delivered' }],
    ['taken and done', { is: 'has_receipt', receipt: receipt('completed') }, { to: 'delivered' }],
    [
      'taken by an agent that could not be started',
      { is: 'has_receipt', receipt: { ...receipt('completed'), errorCode: 'never_invoked' } },
      { to: 'failed', reason: 'never_invoked' },
    ],
    [
      'taken, with a turn that failed',
      { is: 'has_receipt', receipt: { ...receipt('completed'), errorCode: 'prompt_terminal_error' } },
      { to: 'delivered' },
    ],
    ['known, not taken', { is: 'has_receipt', receipt: receipt('accepted') }, retry('not_ready', 5, 1)],
    [
      'taken by a run that ended',
      { is: 'has_receipt', receipt: receipt('ambiguous') },
      { to: 'ambiguous', reason: 'runtime_changed' },
    ],
    ['busy', { is: 'not_ready', isBusy: true }, retry('busy', 5, 1)],
    ['getting ready', { is: 'not_ready', isBusy: false }, retry('not_ready', 5, 1)],
    ['failed, and running again', { is: 'resumed' }, retry('agent_failed', 5, 1)],
    ['asleep', { is: 'asleep' }, retry('target_asleep', 5, 1)],
    ['never reached', { is: 'not_reached' }, retry('node_unreachable', 5, 1)],
    [
      'unknown to the same run',
      { is: 'not_found', runtimeIdentity: 'run-1' },
      retry('receipt_not_found', 5, 1),
    ],
    [
      'unknown to another run',
      { is: 'not_found', runtimeIdentity: 'run-2' },
      { to: 'ambiguous', reason: 'runtime_changed' },
    ],
    ['receipt unavailable', { is: 'receipt_unavailable' }, { to: 'delivering', at: later(30) }],
    ['lost', { is: 'lost' }, { to: 'ambiguous', reason: 'lost_response' }],
    ['known with another content', { is: 'conflict' }, { to: 'failed', reason: 'delivery_conflict' }],
    ['for nobody', { is: 'unknown_target' }, { to: 'failed', reason: 'dead_target' }],
    ['in no language it speaks', { is: 'unsupported' }, { to: 'failed', reason: 'unsupported_capability' }],
    ['refused as such', { is: 'refused' }, { to: 'failed', reason: 'refused' }],
  ])('of a prompt that is %s', (_, answer, outcome) => {
    expect(outcomeOf(attempted(), answer, now)).toMatchObject(outcome);
  });

  it('doubles the delay with each attempt', () => {
    const pauses = [1, 2, 3, 4].map((deliveryAttempts) => {
      const outcome = outcomeOf(attempted({ deliveryAttempts }), { is: 'not_ready', isBusy: true }, now);
      return outcome.to === 'retry_wait' ? (outcome.at.getTime() - now.getTime()) / 1_000 : 0;
    });

    expect(pauses).toEqual([5, 10, 20, 40]);
  });

  it('does not count a wait for a busy agent as the last attempt', () => {
    const waiting: NodeAnswer[] = [
      { is: 'not_ready', isBusy: true },
      { is: 'not_ready', isBusy: false },
      { is: 'asleep' },
      { is: 'not_reached' },
    ];
    for (const answer of waiting)
      expect(outcomeOf(attempted({ deliveryAttempts: maxAttempts }), answer, now)).toMatchObject({
        to: 'retry_wait',
        attempts: maxAttempts - 1,
      });
  });

  it('fails the prompt when the last attempt was lost', () => {
    const answer: NodeAnswer = { is: 'not_found', runtimeIdentity: 'run-1' };

    expect(outcomeOf(attempted({ deliveryAttempts: maxAttempts }), answer, now)).toEqual({
      to: 'failed',
      reason: 'attempts_exhausted',
    });
  });

  it('expires the prompt after its deadline only when the node certainly did not take it', () => {
    const late = attempted({ deadlineAt: now.toISOString() });
    const to = (answer: NodeAnswer): DeliveryOutcome['to'] => outcomeOf(late, answer, now).to;

    expect(to({ is: 'not_ready', isBusy: true })).toBe('expired');
    expect(to({ is: 'not_found', runtimeIdentity: 'run-1' })).toBe('expired');
    expect(to({ is: 'not_found', runtimeIdentity: 'run-2' })).toBe('ambiguous');
    expect(to({ is: 'has_receipt', receipt: receipt('in_flight') })).toBe('delivered');
  });

  it('waits 30 seconds for the receipt of an unreachable node', () => {
    const answer: NodeAnswer = { is: 'receipt_unavailable' };

    expect(outcomeOf(attempted(), answer, later(29)).to).toBe('delivering');
    expect(outcomeOf(attempted(), answer, later(30))).toEqual({
      to: 'ambiguous',
      reason: 'receipt_unavailable',
    });
  });
});
