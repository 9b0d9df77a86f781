import { setTimeout as wait } from 'node:timers/promises';
import { changeChat } from '../../../lambdas/domain/chats/change-chat.js';
import { evictionName } from '../../../lambdas/domain/evictions/work-in-flight.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { messagesOf } from '../../integration/prompts/a-chat.js';
import type { Sleeper } from '../../integration/workspaces/sleep-stage.js';
import type { Random } from '../agent/random.js';
import { randomWork } from '../sleep/random-work.js';
import { breakEviction, calm, chooseFaults, type Scene } from './eviction-faults.js';
import type { EvictionFaultKind, EvictionHistory, EvictionRound } from './eviction-history.js';
import type { EvictionTarget } from './eviction-target.js';
import { Witness } from './witness.js';

/** A workspace that is to be evicted, and what it was before. */
interface Victim {
  readonly sleeper: Sleeper;
  readonly trigger: EvictionRound['trigger'];
  readonly wasInterrupted: boolean;
  before: string;
  nodeId: string | null;
  startedAt: string | undefined;
}

const hogMegabytes = 64;
const outcomeTimeoutMs = 90_000;
/** A callback without an answer ends by then. */
const settleTimeoutMs = 45_000;
/** A stop that was not answered has ended by then. */
const stopEndsMs = 5_000;

/** Evicts workspaces one after the other, or two at once, and restores them. */
export class EvictionDriver {
  private readonly witness: Witness;

  constructor(
    private readonly target: EvictionTarget,
    private readonly history: EvictionHistory,
    private readonly random: Random,
  ) {
    this.witness = new Witness(target, history);
  }

  async round(number: number): Promise<void> {
    const { target, random } = this;
    const trigger = this.random.chance(0.2) ? 'out_of_memory' : 'pressure';
    const faults = chooseFaults(random, trigger);
    const victims = await this.victims(number, { trigger, isDouble: faults.includes('two_victims') });
    const [first, second] = victims;
    if (!first) throw new Error('No workspace runs');
    this.witness.begin(victims.map(({ sleeper }) => sleeper));
    const startedAt = Date.now();
    const node = await this.nodeOf(first);
    const scene = { target, node, victim: first.sleeper, random };
    const breaking = this.breaking(scene, faults);
    await this.strike(first);
    if (second) await this.strike(second);
    for (const victim of victims) await this.outcome(victim, breaking);
    await breaking.done;
    // A restart that began before an eviction can end after it.
    const outcomes: EvictionRound['outcome'][] = [];
    for (const victim of victims) outcomes.push(await this.outcome(victim, breaking));
    for (const each of target.nodes) calm({ target, node: each });
    const more = { number, faults, startedAt };
    for (const [index, victim] of victims.entries())
      await this.restore(victim, { ...more, outcome: outcomes[index] ?? 'stuck' });
    this.witness.end();
  }

  /** Of a node whose other workspaces are the innocents. */
  private async victims(
    number: number,
    { trigger, isDouble }: Pick<Victim, 'trigger'> & { readonly isDouble: boolean },
  ): Promise<readonly Victim[]> {
    const { target, random } = this;
    const sleeper = random.pick(target.sleepers);
    if (!sleeper) return [];
    const { nodeId } = await target.stage.row(sleeper);
    const rows = await Promise.all(target.sleepers.map((one) => target.stage.row(one)));
    const beside = target.sleepers.filter((one, at) => one !== sleeper && rows[at]?.nodeId === nodeId);
    const other = isDouble ? random.pick(beside) : undefined;
    const first = await this.prepare(sleeper, trigger, `r${number}`);
    return other ? [first, await this.prepare(other, 'out_of_memory', `r${number}b`)] : [first];
  }

  private async prepare(sleeper: Sleeper, trigger: Victim['trigger'], name: string): Promise<Victim> {
    const { target, random } = this;
    target.inside(sleeper, `(${randomWork(random, name)})`);
    const wasInterrupted = random.chance(0.5);
    const set = { unconfirmedId: wasInterrupted ? newId() : null, activity: null, queuedPrompts: 0 };
    await changeChat(target.stage.table, sleeper.chatId, { set, now: new Date() });
    const { startedAt } = target.container(sleeper);
    const { nodeId } = await target.stage.row(sleeper);
    return { sleeper, trigger, wasInterrupted, before: target.state(sleeper), nodeId, startedAt };
  }

  private breaking(scene: Scene, faults: readonly EvictionFaultKind[]) {
    const breaking = { isDone: false, done: Promise.resolve() };
    breaking.done = breakEviction(scene, faults).finally(() => {
      breaking.isDone = true;
    });
    // It is thrown when the round waits for it.
    breaking.done.catch(() => undefined);
    return breaking;
  }

  private async strike({ sleeper, trigger }: Victim): Promise<void> {
    if (trigger === 'out_of_memory') {
      // The other eviction may stop its container first.
      if (this.target.container(sleeper).isRunning) this.target.runOutOfMemory(sleeper);
      return;
    }
    await this.target.hog(sleeper, hogMegabytes);
    (await this.nodeOf({ sleeper })).setPressure('critical');
  }

  private async nodeOf({ sleeper }: Pick<Victim, 'sleeper'>) {
    return this.target.nodeOf((await this.target.stage.row(sleeper)).nodeId);
  }

  /** The pressure lasts until the workspace is evicted. */
  private async outcome(victim: Victim, breaking: { readonly isDone: boolean }) {
    const { target } = this;
    const deadline = Date.now() + outcomeTimeoutMs;
    while (Date.now() < deadline) {
      const { status, nodeId } = await target.stage.row(victim.sleeper);
      const node = target.nodeOf(nodeId);
      if (status === 'evicted') {
        node.setPressure('none');
        return 'evicted';
      }
      if (status === 'errored') return 'uncaptured';
      await wait(200);
      node.hurryReports();
      if (status === 'running' && breaking.isDone) await this.strikeAgain(victim);
    }
    (await this.nodeOf(victim)).setPressure('none');
    return 'stuck';
  }

  /** After a stop that failed, and after a restart. */
  private async strikeAgain(victim: Victim): Promise<void> {
    const { target, witness } = this;
    const { sleeper } = victim;
    const node = await this.nodeOf(victim);
    const { isRunning, startedAt } = target.container(sleeper);
    const hasRestarted = startedAt !== victim.startedAt;
    if (!isRunning || Date.now() - witness.lastStopAt < stopEndsMs) return;
    if (victim.trigger === 'pressure' ? node.isPressed && !hasRestarted : !hasRestarted) return;
    if (hasRestarted) {
      witness.begin([...witness.victims]);
      const after = target.state(sleeper);
      // A restart on another node begins from the repository: there was no snapshot.
      if (victim.nodeId === node.nodeId && after !== victim.before) witness.lost(sleeper);
      victim.before = after;
      victim.nodeId = node.nodeId;
      victim.startedAt = startedAt;
    }
    await this.strike(victim);
  }

  private async restore(
    victim: Victim,
    more: Pick<EvictionRound, 'number' | 'faults' | 'outcome'> & { readonly startedAt: number },
  ): Promise<void> {
    const { target } = this;
    const { sleeper, trigger, wasInterrupted, before } = victim;
    const row = await target.stage.row(sleeper);
    const settled = await this.settle(victim, more.outcome);
    const of = evictionName(row);
    let difference = '';
    let [starts, continuations, isEqual]: [number, number, boolean | null] = [0, 0, null];
    if (more.outcome === 'evicted') {
      const messages = await messagesOf(target.stage.table, sleeper.chatId);
      continuations = messages.filter(({ content }) => content.includes(`(eviction ${of})`)).length;
      starts = await target.wake(sleeper);
      await target.provision(sleeper, true);
      const after = target.state(sleeper);
      isEqual = after === before;
      difference = isEqual ? '' : differenceOf(before, after);
    } else if (more.outcome === 'uncaptured') {
      await target.startAgain(sleeper);
    }
    const { startedAt, ...named } = more;
    this.history.rounds.push({
      ...named,
      ...{ trigger, wasInterrupted, isEqual, starts, continuations, ...settled },
      milliseconds: Date.now() - startedAt,
      detail: `${sleeper.workspace.workspaceId} ${of} ${difference}`,
    });
  }

  /** Reports of this and earlier evictions come again, all at once; then the node has none left. */
  private async settle(victim: Victim, outcome: EvictionRound['outcome']) {
    const { plane, stage } = this.target;
    const { sleeper } = victim;
    const { workspaceId } = sleeper.workspace;
    const node = await this.nodeOf(victim);
    const isPending = () => {
      const { status, isFenced, reports } = node.stored(workspaceId);
      return reports > 0 || status !== 'evicted' || !isFenced || this.target.container(sleeper).isRunning;
    };
    const deadline = Date.now() + settleTimeoutMs;
    while (outcome === 'evicted' && Date.now() < deadline && isPending()) {
      node.hurryReports();
      await wait(200);
    }
    const own = plane.reports.filter(({ path }) => path.includes(workspaceId)).slice(-6);
    const state = async () =>
      JSON.stringify([await stage.row(sleeper), await stage.record(sleeper), await stage.chat(sleeper)]);
    const before = await state();
    await Promise.all(own.map((report) => plane.repeat(report)));
    return {
      repeats: own.length,
      repeatChanged: (await state()) !== before,
      isNodePending: outcome === 'evicted' && isPending(),
    };
  }
}

/** Lines that only one of the states has. */
function differenceOf(before: string, after: string): string {
  const lines = [before, after].map((text) => new Set(text.split('\n')));
  const only = (one: number, other: number) =>
    [...(lines[one] ?? [])].filter((line) => !lines[other]?.has(line));
  return JSON.stringify({ lost: only(0, 1).slice(0, 20), added: only(1, 0).slice(0, 20) });
}
