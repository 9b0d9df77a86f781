import { refusalOf } from '../../support/acp-harness/request-words.js';
import type { FinalState, GivenAnswer, HarnessEntry, InteractionHistory } from './interaction-history.js';

export interface InteractionViolation {
  readonly rule: Rule | 'readable' | 'never_in_inbox';
  readonly detail: string;
}

/** All that is known of one request. */
interface Case {
  readonly request: string;
  readonly asked: HarnessEntry | undefined;
  readonly decisions: readonly HarnessEntry[];
  readonly answers: readonly GivenAnswer[];
  readonly final: FinalState | undefined;
  /** The process that asked has died between these times, or a moment before or after. */
  readonly diedWithin: (from: number, to: number) => boolean;
}

/** A node learns of the end of a process with a delay. */
const delayMs = 2_000;

const taken = ({ answers }: Case, by: GivenAnswer['by']) =>
  answers.filter((answer) => answer.by === by && answer.reply === 'taken');
const chosen = ({ decisions: [first], request }: Case): string | undefined =>
  first?.decision === 'cancelled' || first?.decision === refusalOf(request) ? undefined : first?.decision;
const isState = ({ final }: Case, ...states: readonly FinalState['state'][]) =>
  final !== undefined && states.includes(final.state);

const rules = {
  decided_twice: ({ decisions }) => decisions.length > 1,
  /** The harness got what nobody answered, or another answer than that which counts on the node. */
  decided_otherwise: (one) => {
    const decision = chosen(one);
    if (decision === undefined) return false;
    const [viewer] = taken(one, 'viewer');
    if (viewer) return decision !== viewer.optionId;
    return !one.answers.some(({ optionId, reply }) => optionId === decision && reply !== 'refused');
  },
  /** It counts, the harness lived on, and did not get it. */
  taken_not_decided: (one) =>
    taken(one, 'viewer').some(
      ({ optionId, from, to }) => chosen(one) !== optionId && !(noDecision(one) && one.diedWithin(from, to)),
    ),
  /** The state says that the harness has this answer. */
  confirmed_not_decided: (one) => {
    if (!isState(one, 'delivery_confirmed')) return false;
    const [answer] = taken(one, 'api');
    if (answer && chosen(one) === answer.optionId) return false;
    const { answeredAt, endedAt } = one.final ?? {};
    return !answer || !noDecision(one) || !one.diedWithin(answeredAt ?? 0, endedAt ?? 0);
  },
  /** Two replies said of different answers that they count. */
  two_winners: (one) =>
    new Set(taken(one, 'api').map(({ optionId }) => optionId)).size > 1 || taken(one, 'viewer').length > 1,
  /** The control plane took an answer, and no longer says what became of it; or the other way. */
  answer_forgotten: (one) => {
    const isAnswered = isState(one, 'answered', 'delivery_confirmed', 'delivery_unconfirmed');
    if (taken(one, 'api').length > 0) return !isAnswered && !isState(one, 'interrupted');
    return isAnswered;
  },
  no_reply: ({ answers, diedWithin }) =>
    answers.some(({ reply, from, to }) => reply === 'no_reply' || (reply === 'cut' && !diedWithin(from, to))),
  /** A harness that lives waits for ever. */
  not_decided: (one) =>
    one.asked !== undefined && noDecision(one) && !one.diedWithin(one.asked.at, Number.POSITIVE_INFINITY),
  pending_for_ever: (one) => isState(one, 'pending', 'answered'),
  left_in_inbox: ({ final }) => final?.isInInbox === true,
  left_marked: ({ final }) => final?.isMarked === true,
} as const satisfies Readonly<Record<string, (one: Case) => boolean>>;
type Rule = keyof typeof rules;

const noDecision = ({ decisions }: Case) => decisions.length === 0;

export function checkInteractions(history: InteractionHistory): readonly InteractionViolation[] {
  const ofRequests = casesOf(history).flatMap((one) =>
    Object.entries(rules)
      .filter(([, isBroken]) => isBroken(one))
      .map(([rule]) => ({ rule: rule as Rule, detail: JSON.stringify(one) })),
  );
  const isWithoutInbox = history.finals.length > 0 && history.inboxItems.size === 0;
  return [
    ...ofRequests,
    ...history.readable.map((detail) => ({ rule: 'readable', detail }) as const),
    ...(isWithoutInbox ? [{ rule: 'never_in_inbox', detail: 'No inbox had any item' } as const] : []),
  ];
}

function casesOf({ requests, ...history }: InteractionHistory): readonly Case[] {
  const asked = Map.groupBy(history.asked, ({ request }) => request);
  const decisions = Map.groupBy(history.decisions, ({ request }) => request);
  const answers = Map.groupBy(history.answers, ({ request }) => request);
  const finals = new Map(history.finals.map((final) => [final.request, final]));
  return requests.map((request) => {
    const [first] = asked.get(request) ?? [];
    const deaths = history.deaths.filter(({ pid }) => pid === null || pid === first?.pid);
    return {
      request,
      asked: first,
      decisions: decisions.get(request) ?? [],
      answers: answers.get(request) ?? [],
      final: finals.get(request),
      diedWithin: (from, to) => deaths.some(({ at }) => at >= from - delayMs && at <= to + delayMs),
    };
  });
}

export function countInteractions(history: InteractionHistory): Readonly<Record<string, number>> {
  const { requests, asked, decisions, answers, finals, deaths, faults, inboxItems, searched } = history;
  const states = Map.groupBy(finals, ({ state }) => state);
  const reply = (by: GivenAnswer['by'], what: GivenAnswer['reply']) =>
    answers.filter((answer) => answer.by === by && answer.reply === what).length;
  const decided = new Set(decisions.map(({ request }) => request));
  return {
    requests: requests.length,
    asked: asked.length,
    decided: decided.size,
    diedUndecided: asked.filter(({ request }) => !decided.has(request)).length,
    confirmedAtDeath: finals.filter(
      ({ state, request }) => state === 'delivery_confirmed' && !decided.has(request),
    ).length,
    ...Object.fromEntries([...states].map(([state, ofState]) => [state, ofState.length])),
    notReported: asked.length - finals.length,
    viewerTaken: reply('viewer', 'taken'),
    viewerRefused: reply('viewer', 'refused'),
    viewerCut: reply('viewer', 'cut'),
    apiTaken: reply('api', 'taken'),
    apiRefused: reply('api', 'refused'),
    inboxItems: inboxItems.size,
    agentKills: deaths.filter(({ pid }) => pid === null).length,
    harnessKills: deaths.filter(({ pid }) => pid !== null).length,
    ...Object.fromEntries(faults),
    rowsSearched: searched.rows,
    objectsSearched: searched.objects,
  };
}
