import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { checkInteractions } from '../../nemesis/interactions/check-interactions.js';
import {
  emptyInteractionHistory,
  type FinalState,
  type GivenAnswer,
  type InteractionHistory,
} from '../../nemesis/interactions/interaction-history.js';
import { runInteractionNemesis } from '../../nemesis/interactions/interaction-run.js';
import { Reader } from '../../nemesis/interactions/readable.js';
import { choicesOf, refusalOf, wordOf } from '../../support/acp-harness/request-words.js';
import { limitMs } from '../../support/limit-ms.js';

const request = 'request';
const [a = '', b = ''] = choicesOf(request);
const started = 1_000_000;

const decided = (decision: string) => ({ request, pid: 7, at: started + 300, decision });
const given = (by: GivenAnswer['by'], reply: GivenAnswer['reply'], optionId = a): GivenAnswer => ({
  ...{ request, by, optionId, reply, from: started + 100, to: started + 200 },
});
const ended = (state: FinalState['state'], more: Partial<FinalState> = {}): FinalState => ({
  ...{ request, interactionId: 'i', state, isMarked: false, isInInbox: false },
  ...{ answeredAt: started + 100, endedAt: started + 400 },
  ...more,
});

/** An answer of the API that was delivered, with changes. */
const historyOf = (change: Partial<InteractionHistory> = {}): InteractionHistory => ({
  ...emptyInteractionHistory(),
  requests: [request],
  asked: [{ request, pid: 7, at: started }],
  decisions: [decided(a)],
  answers: [given('api', 'taken'), given('viewer', 'refused', b)],
  finals: [ended('delivery_confirmed')],
  inboxItems: new Set(['interaction.i']),
  ...change,
});
const rulesOf = (change: Partial<InteractionHistory>) =>
  checkInteractions(historyOf(change)).map(({ rule }) => rule);
const died = (at: number, pid: number | null = 7) => [{ pid, at }];

describe('the checker of interactions', () => {
  it.each<[string, Partial<InteractionHistory>]>([
    ['an answer that was delivered', {}],
    [
      'the answer of a viewer',
      { answers: [given('viewer', 'taken'), given('api', 'refused', b)], finals: [ended('cancelled')] },
    ],
    [
      'the answer of a viewer before that of the API',
      {
        answers: [given('viewer', 'taken'), given('api', 'taken', b)],
        finals: [ended('delivery_unconfirmed')],
      },
    ],
    [
      'nobody’s answer',
      { answers: [], decisions: [decided(refusalOf(request))], finals: [ended('expired')] },
    ],
    [
      'a cancel',
      { answers: [given('api', 'refused')], decisions: [decided('cancelled')], finals: [ended('cancelled')] },
    ],
    [
      'the death of the harness',
      { decisions: [], deaths: died(started + 250), finals: [ended('interrupted')] },
    ],
    ['its death at the answer', { decisions: [], deaths: died(started + 250) }],
    [
      'the death of the agent under an answer',
      {
        answers: [given('viewer', 'cut')],
        deaths: died(started + 150, null),
        finals: [ended('interrupted')],
      },
    ],
    ['a request that was never asked', { asked: [], decisions: [], answers: [], finals: [] }],
  ])('accepts %s', (_, change) => {
    expect(rulesOf(change)).toEqual([]);
  });

  it.each<[string, Partial<InteractionHistory>]>([
    ['decided_twice', { decisions: [decided(a), decided(a)] }],
    ['decided_otherwise', { decisions: [decided(b)], finals: [ended('delivery_unconfirmed')] }],
    ['decided_otherwise', { answers: [], finals: [ended('expired')] }],
    [
      'decided_otherwise',
      {
        answers: [given('viewer', 'taken', b), given('api', 'taken')],
        finals: [ended('delivery_unconfirmed')],
      },
    ],
    [
      'taken_not_decided',
      {
        answers: [given('viewer', 'taken')],
        decisions: [decided('cancelled')],
        finals: [ended('cancelled')],
      },
    ],
    ['confirmed_not_decided', { decisions: [decided('cancelled')] }],
    ['confirmed_not_decided', { decisions: [], deaths: died(started + 60_000) }],
    ['two_winners', { answers: [given('api', 'taken'), given('api', 'taken', b)] }],
    ['answer_forgotten', { finals: [ended('expired')] }],
    ['answer_forgotten', { finals: [] }],
    ['answer_forgotten', { answers: [given('viewer', 'taken')], finals: [ended('delivery_unconfirmed')] }],
    ['no_reply', { answers: [given('api', 'taken'), given('viewer', 'no_reply', b)] }],
    ['no_reply', { answers: [given('api', 'taken'), given('viewer', 'cut', b)] }],
    ['not_decided', { decisions: [], finals: [ended('interrupted')] }],
    ['pending_for_ever', { finals: [ended('answered')] }],
    ['left_in_inbox', { finals: [ended('delivery_confirmed', { isInInbox: true })] }],
    ['left_marked', { finals: [ended('delivery_confirmed', { isMarked: true })] }],
    ['never_in_inbox', { inboxItems: new Set() }],
    ['readable', { readable: ['a row'] }],
  ])('finds %s', (rule, change) => {
    expect(rulesOf(change)).toContain(rule);
  });
});

it('finds words as they are, in base64 and compressed, and no others', () => {
  const word = wordOf(request);
  const reader = new Reader(new Set([word]));
  const bytes = Buffer.from(`Run ${word}`);

  reader.read('text', { notice: [`"Run ${word}"`] });
  reader.read('set', { names: new Set([word]) });
  reader.read('base64', { sealed: bytes.toString('base64') });
  reader.read('bytes', { content: new Uint8Array(gzipSync(bytes)) });
  reader.read('other', { title: `Run ${wordOf('another')}`, hash: 'f'.repeat(64) });

  expect(reader.found).toEqual(['text', 'set', 'base64', 'bytes'].map((name) => `${word} in ${name}`));
});

it('gives each request one decision, or says that it does not know, whatever is killed or cut', {
  timeout: limitMs(180_000),
}, async () => {
  const { violations, counts } = await runInteractionNemesis({ requests: 20, chats: 4, seed: 5 });

  expect(violations).toEqual([]);
  expect(counts).toMatchObject({ requests: 20 });
  expect(counts.decided).toBeGreaterThan(0);
});
