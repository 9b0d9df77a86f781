import { describe, expect, it } from 'vitest';
import type { PromptReceipt } from '../../../protocol/agent-sessions.js';
import { type Answer, decideMove, type Move, maxAttempts } from './decide-move.js';

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

describe('what follows from what became of an attempt', () => {
  it.each<[string, Answer, object]>([
    ['taken', { told: 'accepted', receipt: receipt('in_flight') }, { to: 'delivered' }],
    ['taken and done', { told: 'accepted', receipt: receipt('completed') }, { to: 'delivered' }],
    [
      'taken by an agent that could not be started',
      { told: 'accepted', receipt: { ...receipt('completed'), errorCode: 'never_invoked' } },
      { to: 'failed', reason: 'never_invoked' },
    ],
    [
      'taken, with a turn that failed',
      { told: 'accepted', receipt: { ...receipt('completed'), errorCode: 'prompt_terminal_error' } },
      { to: 'delivered' },
    ],
    ['known, not taken', { told: 'accepted', receipt: receipt('accepted') }, retry('not_ready', 5, 1)],
    [
      'taken by a run that ended',
      { told: 'accepted', receipt: receipt('ambiguous') },
      { to: 'ambiguous', reason: 'runtime_changed' },
    ],
    ['busy', { told: 'not_ready', isBusy: true }, retry('busy', 5, 1)],
    ['getting ready', { told: 'not_ready', isBusy: false }, retry('not_ready', 5, 1)],
    ['failed, and running again', { told: 'revived' }, retry('agent_failed', 5, 1)],
    ['asleep', { told: 'asleep' }, retry('target_asleep', 5, 1)],
    ['never reached', { told: 'not_reached' }, retry('node_unreachable', 5, 1)],
    [
      'unknown to the same run',
      { told: 'not_found', runtimeIdentity: 'run-1' },
      retry('receipt_not_found', 5, 1),
    ],
    [
      'unknown to another run',
      { told: 'not_found', runtimeIdentity: 'run-2' },
      { to: 'ambiguous', reason: 'runtime_changed' },
    ],
    ['not told about now', { told: 'receipt_unavailable' }, { to: 'delivering', at: later(30) }],
    ['lost', { told: 'lost' }, { to: 'ambiguous', reason: 'lost_response' }],
    ['known with another content', { told: 'conflict' }, { to: 'failed', reason: 'delivery_conflict' }],
    ['for nobody', { told: 'unknown_target' }, { to: 'failed', reason: 'dead_target' }],
    ['in no language it speaks', { told: 'unsupported' }, { to: 'failed', reason: 'unsupported_capability' }],
    ['refused as such', { told: 'refused' }, { to: 'failed', reason: 'refused' }],
  ])('of a prompt that is %s', (_, answer, move) => {
    expect(decideMove(attempted(), answer, now)).toMatchObject(move);
  });

  it('doubles the pause with each attempt', () => {
    const pauses = [1, 2, 3, 4].map((deliveryAttempts) => {
      const move = decideMove(attempted({ deliveryAttempts }), { told: 'not_ready', isBusy: true }, now);
      return move.to === 'retry_wait' ? (move.at.getTime() - now.getTime()) / 1_000 : 0;
    });

    expect(pauses).toEqual([5, 10, 20, 40]);
  });

  it('never uses up the last attempt by waiting for an agent', () => {
    const waiting: Answer[] = [
      { told: 'not_ready', isBusy: true },
      { told: 'not_ready', isBusy: false },
      { told: 'asleep' },
      { told: 'not_reached' },
    ];
    for (const answer of waiting)
      expect(decideMove(attempted({ deliveryAttempts: maxAttempts }), answer, now)).toMatchObject({
        to: 'retry_wait',
        attempts: maxAttempts - 1,
      });
  });

  it('gives up when the last attempt was lost', () => {
    const answer: Answer = { told: 'not_found', runtimeIdentity: 'run-1' };

    expect(decideMove(attempted({ deliveryAttempts: maxAttempts }), answer, now)).toEqual({
      to: 'failed',
      reason: 'attempts_exhausted',
    });
  });

  it('is too late after the deadline only when it is certain that nothing was taken', () => {
    const late = attempted({ deadlineAt: now.toISOString() });
    const to = (answer: Answer): Move['to'] => decideMove(late, answer, now).to;

    expect(to({ told: 'not_ready', isBusy: true })).toBe('expired');
    expect(to({ told: 'not_found', runtimeIdentity: 'run-1' })).toBe('expired');
    expect(to({ told: 'not_found', runtimeIdentity: 'run-2' })).toBe('ambiguous');
    expect(to({ told: 'accepted', receipt: receipt('in_flight') })).toBe('delivered');
  });

  it('waits half a minute for the word of a node that is away, and no longer', () => {
    const answer: Answer = { told: 'receipt_unavailable' };

    expect(decideMove(attempted(), answer, later(29)).to).toBe('delivering');
    expect(decideMove(attempted(), answer, later(30))).toEqual({
      to: 'ambiguous',
      reason: 'receipt_unavailable',
    });
  });
});
