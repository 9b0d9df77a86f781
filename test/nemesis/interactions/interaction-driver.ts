import { setTimeout as wait } from 'node:timers/promises';
import { choicesOf, wordOf } from '../../support/acp-harness/request-words.js';
import type { Random } from '../agent/random.js';
import { sendSignal } from '../processes.js';
import { comes } from './comes.js';
import {
  countFault,
  type Disruption,
  disruptions,
  type GivenAnswer,
  type InteractionHistory,
  type Reply,
} from './interaction-history.js';
import { callbackFaults } from './interaction-plane.js';
import type { InteractionTarget, NemesisChat } from './interaction-target.js';

/** Who answers a request, all at once. `api_again`: its page repeats the answer. */
const plans = [
  'api',
  'api_again',
  'viewer',
  'two_pages',
  'two_viewers',
  'all',
  'all',
  'all',
  'nobody',
] as const;
type Plan = (typeof plans)[number];

const acceptMs = 60_000;
const askMs = 15_000;
/** A request is shown within it; later it is answered by nobody. */
const shownMs = 3_000;
/** Longer than the deadline of any request. */
const decidedMs = 30_000;
/** The control plane may not have it yet. */
const knownMs = 1_500;

const repliesBy: Readonly<Record<number, Reply>> = { 200: 'taken', 404: 'refused', 409: 'refused' };
/** The death of the agent hits every chat. */
const weighted: readonly Disruption[] = [...disruptions, 'kill_harness', 'cancel'];

/** Lets the agent of one chat ask, one turn after the other, and answers. */
export class InteractionDriver {
  private turns = 0;

  constructor(
    private readonly target: InteractionTarget,
    private readonly chat: NemesisChat,
    private readonly parts: { readonly history: InteractionHistory; readonly random: Random },
  ) {}

  /** As many requests as `take` gives. */
  async run(take: (most: number) => number): Promise<void> {
    for (;;) {
      const count = take(this.parts.random.between(1, 3));
      if (count === 0) return;
      this.turns += 1;
      const names = Array.from({ length: count }, (_, index) => `${this.chat.chatId}-${this.turns}-${index}`);
      await this.turn(names);
    }
  }

  private async turn(names: readonly string[]): Promise<void> {
    const { history, random } = this.parts;
    history.requests.push(...names);
    const disruption = random.chance(0.25) ? random.pick(weighted) : undefined;
    const isUnderWay = random.chance(0.6);
    this.breakCalls();
    await this.prompt(`[[ask ${names.join(' ')}]]`, `turn-${this.turns}`);
    if (!(await comes(() => names.every((name) => this.target.journal.asked(name) !== undefined), askMs)))
      return;
    const ids = await Promise.all(names.map((name) => this.shown(name)));
    if (disruption && !isUnderWay) await this.disrupt(disruption, names);
    const answers = names.map((name, index) => this.answerAll(name, ids[index], random.pick(plans) ?? 'all'));
    if (disruption && isUnderWay) {
      await wait(random.between(0, 60));
      await this.disrupt(disruption, names);
    }
    await Promise.all(answers);
    const ended = names.map((name) => comes(() => this.hasEnded(name), decidedMs));
    await Promise.all(ended);
    this.target.plane.calm(this.chat.workspaceId);
    this.target.deliveryFaults.delete(this.chat.workspaceId);
  }

  /** Callbacks and deliveries of this turn. */
  private breakCalls(): void {
    const { history, random } = this.parts;
    const { plane, deliveryFaults } = this.target;
    const { workspaceId } = this.chat;
    for (const end of ['create', 'settle'] as const) {
      if (!random.chance(0.35)) continue;
      const faults = [random.pick(callbackFaults), random.pick(callbackFaults)].slice(
        0,
        random.between(1, 2),
      );
      const chosen = faults.filter((fault) => fault !== undefined);
      plane.fail(workspaceId, end, ...chosen);
      for (const fault of chosen) countFault(history, `${end}_${fault}`);
    }
    if (!random.chance(0.25)) return;
    const fault = random.chance(0.3) ? 'unheard' : 'lost';
    deliveryFaults.set(workspaceId, [fault]);
    countFault(history, `delivery_${fault}`);
  }

  /** Sends it until it is accepted, also while the agent starts again. */
  private async prompt(text: string, deliveryId: string): Promise<void> {
    const { target, chat } = this;
    const named = { protocolVersion: 1, deliveryId };
    const path = `/${chat.sessionId}${this.turns === 1 ? '/start' : '/prompt'}`;
    const body = this.turns === 1 ? target.startBody(text) : { prompt: text };
    const isAccepted = await comes(async () => {
      const answer = await target.request(chat, path, { ...named, ...body }).catch(() => undefined);
      if (answer?.body.error === 'session_not_running')
        await target.request(chat, `/${chat.sessionId}/resume`, {}).catch(() => undefined);
      if (answer && answer.status < 300) return true;
      await wait(100);
      return false;
    }, acceptMs);
    if (!isAccepted) throw new Error(`A prompt is not accepted:\n${target.output.slice(-4_000)}`);
  }

  /** Also by the death of its process, or of the agent and so of the process. */
  private hasEnded(name: string): boolean {
    const { journal } = this.target;
    const asked = journal.asked(name);
    const isDead = this.parts.history.deaths.some(({ pid, at }) =>
      pid === null ? at >= (asked?.at ?? 0) : pid === asked?.pid,
    );
    return isDead || journal.isDecided(name);
  }

  /** Its id, when a viewer is shown it. */
  private async shown(name: string): Promise<string | undefined> {
    const { viewers } = this.chat;
    const find = () => viewers.map((viewer) => viewer.pending(wordOf(name))).find((id) => id !== undefined);
    await comes(() => find() !== undefined || this.hasEnded(name), shownMs);
    return find();
  }

  private async disrupt(kind: Disruption, names: readonly string[]): Promise<void> {
    const { history } = this.parts;
    if (kind === 'cancel') {
      countFault(history, 'cancels');
      await this.target.request(this.chat, `/${this.chat.sessionId}/cancel`, {}).catch(() => undefined);
    } else if (kind === 'kill_agent') {
      await this.target.killAgent(() => history.deaths.push({ pid: null, at: Date.now() }));
    } else {
      const pids = new Set(names.map((name) => this.target.journal.asked(name)?.pid));
      for (const pid of pids)
        if (pid !== undefined && sendSignal(pid, 'SIGKILL')) history.deaths.push({ pid, at: Date.now() });
    }
  }

  private async answerAll(name: string, interactionId: string | undefined, plan: Plan): Promise<void> {
    if (interactionId === undefined) return;
    const { random } = this.parts;
    // Each has chosen before another one answers.
    const option = () => random.pick(choicesOf(name)) ?? '';
    const api = (key: string, times = 1) =>
      this.answerByApi(name, { interactionId, key, times, optionId: option() });
    const viewer = (which: 0 | 1) => this.answerByViewer(name, { interactionId, which, optionId: option() });
    await wait(random.between(0, 300));
    const acts: Readonly<Record<Plan, () => readonly Promise<void>[]>> = {
      api: () => [api('one')],
      api_again: () => [api('one', 2)],
      viewer: () => [viewer(0)],
      two_pages: () => [api('one', 2), api('other')],
      two_viewers: () => [viewer(0), viewer(1)],
      all: () => [api('one', 2), viewer(0), viewer(1), api('other')],
      nobody: () => [],
    };
    await Promise.all(acts[plan]());
  }

  private async answerByViewer(
    request: string,
    { interactionId, which, optionId }: { interactionId: string; which: 0 | 1; optionId: string },
  ): Promise<void> {
    const from = Date.now();
    const reply = await this.chat.viewers[which].answer(interactionId, optionId);
    if (reply !== undefined) this.note({ request, by: 'viewer', optionId, reply, from });
  }

  /**
   * The page loses the first reply and sends the answer again: not where the control plane did not
   * have the request.
   */
  private async answerByApi(
    request: string,
    more: { interactionId: string; key: string; times: number; optionId: string },
  ): Promise<void> {
    const from = Date.now();
    const statuses = [await this.statusOf(more)];
    while (statuses.length < more.times && statuses[0] !== 404) statuses.push(await this.statusOf(more));
    const [first = 0] = statuses;
    const reply = statuses.every((other) => other === first) ? repliesBy[first] : undefined;
    this.note({ request, by: 'api', optionId: more.optionId, reply: reply ?? 'no_reply', from });
  }

  /** Of the first reply that is final. */
  private async statusOf(one: { interactionId: string; key: string; optionId: string }): Promise<number> {
    const until = Date.now() + knownMs;
    let status = 0;
    await comes(async () => {
      status = await this.target.plane.answer({ ...this.chat, ...one }, one.key, one.optionId);
      return status === 404 ? Date.now() > until : status < 429;
    }, decidedMs);
    return status;
  }

  private note(answer: Omit<GivenAnswer, 'to'>): void {
    this.parts.history.answers.push({ ...answer, to: Date.now() });
  }
}
