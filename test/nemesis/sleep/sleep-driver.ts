import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { until } from '../../support/until.js';
import type { Random } from '../agent/random.js';
import { randomWork } from './random-work.js';
import { breakSleep, breakSleeping, breakWake, chooseFaults } from './sleep-faults.js';
import type { SleepCycle, SleepHistory } from './sleep-history.js';
import type { SleepingChat, SleepTarget } from './sleep-target.js';

/** A capture that ends by the time-out of its saga takes longer. */
const sleepTimeoutMs = 45_000;

/** The person of one chat: works, lets it sleep, and wakes it by a message, again and again. */
export class SleepDriver {
  private prompts = 0;
  private refusal: string | null = null;

  constructor(
    private readonly target: SleepTarget,
    private readonly chat: SleepingChat,
    private readonly history: SleepHistory,
    private readonly random: Random,
  ) {}

  async cycle(number: number): Promise<void> {
    const { target, random } = this;
    const name = `chat${this.chat.number}-${number}`;
    await this.run(`${name}-work`, randomWork(random, name));
    const before = await this.state(`${name}-before`);
    const faults = chooseFaults(random);
    const { nodeId } = await target.workspace(this.chat.workspaceId);
    const startedAt = Date.now();
    const breaking = breakSleep(this.parts(), faults, () => this.prompt('[[say still here]]'));
    const outcome = await this.sleep();
    await breaking;
    const sleepMs = Date.now() - startedAt;
    if (outcome === 'slept') await breakSleeping(this.parts(), faults, nodeId);
    const wokenAt = Date.now();
    const breakingWake = outcome === 'slept' ? breakWake(this.parts(), faults) : undefined;
    const after = await this.state(`${name}-after`);
    await breakingWake;
    const now = await target.workspace(this.chat.workspaceId);
    this.history.cycles.push({
      chat: this.chat.number,
      number,
      faults,
      outcome,
      refusal: this.refusal,
      restore: outcome === 'slept' ? await this.restore() : null,
      isEqual: before === after,
      wasOnAnotherNode: now.nodeId !== nodeId,
      sleepMs,
      wakeMs: Date.now() - wokenAt,
      detail: name,
    });
  }

  /** Until it sleeps; a sleep that a fault has ended is given up by a message. */
  private async sleep(): Promise<SleepCycle['outcome']> {
    const { target, chat } = this;
    const path = `/api/workspaces/${chat.workspaceId}`;
    const deadline = Date.now() + sleepTimeoutMs;
    this.refusal = null;
    while (Date.now() < deadline) {
      const answer = await target.person.post(`${path}/sleep`).catch(() => undefined);
      if (answer && answer.status >= 400) this.refusal = `${answer.status} ${answer.text}`;
      const { status } = await target.workspace(chat.workspaceId);
      if (status === 'sleeping') {
        await this.requireSnapshot();
        return 'slept';
      }
      await wait(answer?.status === 202 ? 500 : 2_000);
    }
    return 'stayed';
  }

  /** Compute may end only with a verified snapshot. */
  private async requireSnapshot(): Promise<void> {
    const { workspaceId } = this.chat;
    const snapshot = await this.target.item(`WORKSPACE#${workspaceId}`, 'SNAPSHOT');
    const status = snapshot?.status?.S;
    if (status !== 'available' && status !== 'degraded')
      this.history.broken.push({ rule: 'without_snapshot', detail: `${workspaceId}: ${status}` });
  }

  private async restore(): Promise<SleepCycle['restore']> {
    const { person, projectId } = this.target;
    const { body } = await person.get(`/api/projects/${projectId}/sessions/${this.chat.sessionId}`);
    const { restore } = body.session;
    return restore ? { status: String(restore.status), missing: restore.missing ?? [] } : null;
  }

  private async state(name: string): Promise<string> {
    const path = join(this.target.folder, 'states', name);
    await this.prompt(`[[sh sh ${this.target.folder}/state.sh ${path}.new && mv ${path}.new ${path}]]`);
    await until(`the state ${name}`, () => existsSync(path) || undefined, 240_000);
    return readFileSync(path, 'utf8');
  }

  private async run(name: string, script: string): Promise<void> {
    const path = join(this.target.folder, 'states', name);
    writeFileSync(path, `${script}\n`);
    await this.prompt(`[[sh sh ${path}; touch ${path}.done]]`);
    await until(`the work ${name}`, () => existsSync(`${path}.done`) || undefined, 120_000);
  }

  /** Again until it is answered, with one id. */
  private async prompt(content: string): Promise<void> {
    this.prompts += 1;
    const id = `chat${this.chat.number}-prompt${this.prompts}`;
    const path = `/api/projects/${this.target.projectId}/sessions/${this.chat.sessionId}/prompt`;
    for (;;) {
      const body = { content: `prompt=${id} ${content}`, messageId: id };
      const answer = await this.target.person.post(path, body).catch(() => undefined);
      if (answer?.status === 202) break;
      if (answer && answer.status < 500 && answer.status !== 429)
        throw new Error(`A prompt was answered ${answer.status}: ${answer.text}`);
      await wait(1_000);
    }
    this.history.accepted.push(id);
  }

  private parts() {
    return { target: this.target, chat: this.chat, random: this.random };
  }
}
