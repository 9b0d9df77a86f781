import { describe, expect, it } from 'vitest';
import { checkCloud } from '../../nemesis/cloud/check-cloud.js';
import {
  answerTo,
  type CloudFault,
  type CloudHistory,
  type CloudInvocation,
  emptyCloudHistory,
  type Outcome,
} from '../../nemesis/cloud/cloud-history.js';

const sessionId = 's';
const at = 1_000_000;

const intent = (messageId: string, by: 'creator' | 'stranger' = 'creator') => ({
  messageId,
  sessionId,
  text: `delivery=${messageId} `,
  by,
  interrupts: false,
});
const answered = new Map([[sessionId, `first\n${answerTo('m1')}\nlast`]]);

/** One message that was delivered and answered as it should be, with what a test breaks. */
function history(outcome: Partial<Outcome> = {}, more: Partial<CloudHistory> = {}): CloudHistory {
  return {
    ...emptyCloudHistory(),
    intents: [intent('m1')],
    accepted: [{ messageId: 'm1', deliveryId: 'd1' }],
    outcomes: [
      {
        messageId: 'm1',
        sessionId,
        state: 'delivered',
        reason: null,
        createdAt: at,
        sequence: 1,
        ...outcome,
      },
    ],
    shown: new Map([[sessionId, ['m1']]]),
    said: answered,
    ...more,
  };
}
const nothingSaid = { said: new Map([[sessionId, '']]) };
const invocation = (id = 'm1', time = at + 1_100) => ({
  text: `delivery=${id} `,
  pid: 1,
  at: time,
  endedAt: time + 10,
});
const rules = (reported: CloudHistory, invoked: readonly CloudInvocation[] = [invocation()]) =>
  checkCloud(reported, invoked).violations.map(({ rule }) => rule);
/** A fault that lasts a moment and, unless a test says otherwise, may have touched the chat. */
const fault = (
  kind: CloudFault['kind'],
  from: number,
  sessionIds: CloudFault['sessionIds'] = [sessionId],
) => ({
  faults: [{ kind, from, to: from + 1, sessionIds }],
});

describe('the checker of the cloud', () => {
  it('has nothing against what was done once and said so', () => {
    expect(rules(history())).toEqual([]);
  });

  it.each<[string, CloudHistory, ReturnType<typeof invocation>[]]>([
    ['invoked_twice', history(), [invocation(), invocation()]],
    ['invoked_with_another_text', history(), [{ ...invocation(), text: 'delivery=m1' }]],
    ['lost', history({}, { outcomes: [] }), []],
    ['delivered_without_invocation', history(), []],
    ['invoked_all_the_same', history({ state: 'failed' }, fault('lose_node', at + 5_000)), [invocation()]],
    ['failed_without_cause', history({ state: 'failed' }), []],
    ['failed_without_cause', history({ state: 'expired' }, fault('lose_node', at, ['another'])), []],
    ['ambiguous_without_cause', history({ state: 'ambiguous' }), []],
    ['ambiguous_without_cause', history({ state: 'ambiguous' }, fault('kill_agent', at, ['another'])), []],
    ['never_settled', history({ state: 'retry_wait' }), []],
    [
      'answered_twice',
      history({}, { said: new Map([[sessionId, answerTo('m1').repeat(2)]]) }),
      [invocation()],
    ],
    ['answer_lost', history({}, nothingSaid), [invocation()]],
    ['answer_lost', history({}, { ...nothingSaid, ...fault('freeze_agent', at) }), [invocation()]],
    ['invoked_after_the_end', history({}, fault('remove_member', at)), [invocation()]],
    ['invoked_after_the_end', history({}, fault('lose_node', at)), [invocation()]],
    [
      'batch_of_another_life_taken',
      history({}, { repeats: [{ as: 'other_generation', status: 200 }] }),
      [invocation()],
    ],
    [
      'accepted_as_two',
      history({}, { accepted: ['d1', 'd2'].map((deliveryId) => ({ messageId: 'm1', deliveryId })) }),
      [invocation()],
    ],
    ['not_shown_once', history({}, { shown: new Map([[sessionId, ['m1', 'm1']]]) }), [invocation()]],
  ])('finds %s', (rule, reported, invoked) => {
    expect(rules(reported, invoked)).toEqual([rule]);
  });

  /** Two messages, the first of which the agent had after the second. */
  function conflicting(interrupts: readonly boolean[]) {
    const [first] = history().outcomes;
    if (!first) throw new Error('There is one');
    const reported = history(
      {},
      {
        intents: ['m1', 'm2'].map((messageId, index) => ({
          ...intent(messageId),
          interrupts: interrupts[index] === true,
        })),
        accepted: ['m1', 'm2'].map((messageId) => ({ messageId, deliveryId: messageId })),
        outcomes: [first, { ...first, messageId: 'm2', sequence: 2 }],
        shown: new Map([[sessionId, ['m1', 'm2']]]),
        said: new Map([[sessionId, answerTo('m1') + answerTo('m2')]]),
      },
    );

    return rules(reported, [invocation('m1', at + 2_000), invocation('m2', at + 1_000)]);
  }

  it('finds messages that came out of order, and none that another one interrupts', () => {
    expect(conflicting([false, false])).toEqual(['out_of_order']);
    expect(conflicting([true, true])).toEqual(['out_of_order']);
    expect(conflicting([false, true])).toEqual([]);
  });

  it('lets a message that interrupts explain what the agent never had before it, and nothing else', () => {
    const [cancelled] = history({ state: 'failed', reason: 'never_invoked' }).outcomes;
    if (!cancelled) throw new Error('There is one');
    const failed = (reason: string, sequence: number) =>
      rules(
        history(
          {},
          {
            intents: [intent('m1'), { ...intent('m2'), interrupts: true }],
            outcomes: [
              { ...cancelled, reason },
              { ...cancelled, messageId: 'm2', state: 'delivered', sequence },
            ],
          },
        ),
        [invocation('m2')],
      );

    expect(failed('never_invoked', 2)).toEqual([]);
    expect(failed('never_invoked', 0)).toEqual(['failed_without_cause']);
    expect(failed('attempts_exhausted', 2)).toEqual(['failed_without_cause']);
  });

  it('finds what somebody said who may not', () => {
    const refused = { accepted: [], outcomes: [], refused: ['m1'] };
    const taken = history({}, { intents: [intent('m1', 'stranger')] });

    expect(rules(taken)).toEqual(['taken_from_a_stranger']);
    expect(rules(history({}, refused), [])).toEqual(['refused_all_the_same']);
    expect(rules(history({}, { ...refused, shown: new Map() }))).toEqual(['refused_all_the_same']);
    expect(rules(history({}, { ...refused, shown: new Map() }), [])).toEqual([]);
  });

  it('takes what came before a message for no explanation', () => {
    const killed = (from: number) => history({ state: 'ambiguous' }, fault('kill_agent', from));

    expect(rules(killed(at + 1_050), [])).toEqual([]);
    expect(rules(killed(at - 60_000), [])).toEqual(['ambiguous_without_cause']);
  });

  it('lets the end of an agent explain what it never had, failed or did not report', () => {
    const ended = (state: string, from = at + 5_000) => history({ state }, fault('lose_node', from));

    expect(rules(ended('delivered'), [])).toEqual([]);
    expect(rules(ended('failed', at - 60_000), [])).toEqual([]);
    expect(rules(history({}, { ...nothingSaid, ...fault('remove_member', at + 5_000) }))).toEqual([]);
  });

  it('asks for no answer of a turn that never ended', () => {
    expect(rules(history({}, nothingSaid), [{ ...invocation(), endedAt: null }])).toEqual([]);
  });
});
