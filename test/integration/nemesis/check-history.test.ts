import { expect, it } from 'vitest';
import { checkHistory } from '../../nemesis/agent/check-history.js';
import { emptyHistory, type Fault, type Sending, type Sighting } from '../../nemesis/agent/history.js';

const text = 'do it: delivery=d-1 ';

/** One delivery that was sent, accepted, invoked at 105 and completed at 200. */
function history(
  states: readonly (readonly [at: number, state: Sighting['state']])[],
  more: { readonly sendings?: Partial<Sending>[]; readonly faults?: Fault[] } = {},
) {
  const all = emptyHistory();
  all.intents.push({ deliveryId: 'd-1', sessionId: 's', kind: 'prompt', text });
  for (const sending of more.sendings ?? [{}])
    all.sendings.push({
      deliveryId: 'd-1',
      changedText: null,
      cut: 'none',
      sentAt: 99,
      status: 202,
      word: 'accepted',
      ...sending,
    });
  for (const [at, state] of states)
    all.sightings.push({
      deliveryId: 'd-1',
      askedAt: at - 1,
      at,
      state,
      acceptedAt: state === 'not_found' ? null : 100,
    });
  all.faults.push(...(more.faults ?? []));
  return all;
}

const rulesOf = (...[all, invocations]: Parameters<typeof checkHistory>) =>
  checkHistory(all, invocations).violations.map(({ rule }) => rule);
const once = [{ text, pid: 7, at: 105 }];
const kill: Fault = { kind: 'kill_harness', pid: 7, from: 150, to: 151 };

it('finds nothing in what is as it should be', () => {
  expect(
    rulesOf(
      history([
        [110, 'in_flight'],
        [200, 'completed'],
      ]),
      once,
    ),
  ).toEqual([]);
  expect(
    rulesOf(
      history(
        [
          [110, 'in_flight'],
          [200, 'ambiguous'],
        ],
        { faults: [kill] },
      ),
      [],
    ),
  ).toEqual([]);
  expect(rulesOf(history([[200, 'not_found']], { sendings: [{ status: null, word: null }] }), [])).toEqual(
    [],
  );
});

it('takes no kill of another session for a cause', () => {
  const all = history([[200, 'ambiguous']], { faults: [{ ...kill, pid: 8 }] });
  all.intents.push({ deliveryId: 'd-2', sessionId: 'other', kind: 'prompt', text: 'delivery=d-2' });
  const others = { text: 'delivery=d-2', pid: 8, at: 1 };

  expect(rulesOf(all, [...once, others])).toContain('ambiguous_without_cause');
});

it('takes a repeat whose answer came late for no change of mind', () => {
  const all = history([[150, 'completed']]);
  all.sightings.push({ deliveryId: 'd-1', askedAt: 100, at: 160, state: 'in_flight', acceptedAt: 100 });
  all.sightings.push({ deliveryId: 'd-1', askedAt: 170, at: 180, state: 'completed', acceptedAt: 100 });

  expect(rulesOf(all, once)).toEqual([]);
});

it.each([
  ['invoked_twice', history([[200, 'completed']]), [...once, ...once]],
  ['accepted_without_invocation', history([[200, 'completed']]), []],
  ['receipt_lost', history([[200, 'not_found']]), []],
  ['invoked_without_receipt', history([[200, 'not_found']], { sendings: [{ status: null }] }), once],
  ['invoked_without_receipt', history([[200, 'accepted']], { sendings: [{ status: 409 }] }), once],
  ['never_settled', history([[200, 'in_flight']]), once],
  [
    'receipt_changed_its_mind',
    history(
      [
        [150, 'ambiguous'],
        [200, 'completed'],
      ],
      { faults: [kill] },
    ),
    once,
  ],
  ['ambiguous_without_cause', history([[200, 'ambiguous']]), once],
  [
    'ambiguous_without_cause',
    history([[140, 'ambiguous']], { faults: [kill, { ...kill, kind: 'freeze_harness', from: 110 }] }),
    once,
  ],
  [
    'ambiguous_without_cause',
    history([[200, 'ambiguous']], { faults: [{ ...kill, from: -2_000, to: -1_999 }] }),
    once,
  ],
  [
    'conflict_accepted',
    history([[200, 'completed']], { sendings: [{}, { changedText: 'x', word: 'accepted', status: 200 }] }),
    once,
  ],
  [
    'invoked_with_another_text',
    history([[200, 'completed']]),
    [{ text: 'changed delivery=d-1', pid: 7, at: 105 }],
  ],
])('finds %s', (rule, all, invocations) => {
  expect(rulesOf(all, invocations)).toEqual([rule]);
});
