import { describe, expect, it } from 'vitest';
import { checkCloud } from '../../nemesis/cloud/check-cloud.js';
import { type CloudHistory, emptyCloudHistory, type Outcome } from '../../nemesis/cloud/cloud-history.js';

const sessionId = 's';
const at = 1_000_000;

/** One message that was delivered as it should be, with what a test breaks. */
function history(outcome: Partial<Outcome> = {}, more: Partial<CloudHistory> = {}): CloudHistory {
  return {
    ...emptyCloudHistory(),
    intents: [{ messageId: 'm1', sessionId, text: 'delivery=m1 ' }],
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
    ...more,
  };
}
const invocation = (id = 'm1', time = at + 1_100) => ({ text: `delivery=${id} `, pid: 1, at: time });
const rules = (told: CloudHistory, invoked = [invocation()]) =>
  checkCloud(told, invoked).violations.map(({ rule }) => rule);

describe('the checker of the cloud', () => {
  it('has nothing against what was done once and said so', () => {
    expect(rules(history())).toEqual([]);
  });

  it.each<[string, CloudHistory, ReturnType<typeof invocation>[]]>([
    ['invoked_twice', history(), [invocation(), invocation()]],
    ['invoked_with_another_text', history(), [{ ...invocation(), text: 'delivery=m1x'.replace('x', '') }]],
    ['lost', history({}, { outcomes: [] }), []],
    ['delivered_without_invocation', history(), []],
    ['invoked_all_the_same', history({ state: 'failed' }), [invocation()]],
    ['ambiguous_without_cause', history({ state: 'ambiguous' }), []],
    ['never_settled', history({ state: 'retry_wait' }), []],
    [
      'accepted_as_two',
      history(
        {},
        {
          accepted: [
            { messageId: 'm1', deliveryId: 'd1' },
            { messageId: 'm1', deliveryId: 'd2' },
          ],
        },
      ),
      [invocation()],
    ],
    ['not_shown_once', history({}, { shown: new Map([[sessionId, ['m1', 'm1']]]) }), [invocation()]],
  ])('finds %s', (rule, told, invoked) => {
    expect(rules(told, invoked)).toEqual([rule]);
  });

  it('finds messages that overtook each other', () => {
    const [first] = history().outcomes;
    if (!first) throw new Error('There is one');
    const told = history(
      {},
      {
        intents: ['m1', 'm2'].map((messageId) => ({ messageId, sessionId, text: `delivery=${messageId} ` })),
        accepted: ['m1', 'm2'].map((messageId) => ({ messageId, deliveryId: messageId })),
        outcomes: [first, { ...first, messageId: 'm2', sequence: 2 }],
        shown: new Map([[sessionId, ['m1', 'm2']]]),
      },
    );

    expect(rules(told, [invocation('m1', at + 2_000), invocation('m2', at + 1_000)])).toEqual([
      'out_of_order',
    ]);
  });

  it('takes what came before a message for no explanation', () => {
    const killed = (from: number) =>
      history({ state: 'ambiguous' }, { faults: [{ kind: 'kill_agent', from, to: from + 1 }] });

    expect(rules(killed(at + 1_050), [])).toEqual([]);
    expect(rules(killed(at - 60_000), [])).toEqual(['ambiguous_without_cause']);
  });
});
