import { setTimeout as wait } from 'node:timers/promises';
import type { Person } from '../../support/person.js';
import type { Random } from '../agent/random.js';
import { answerTo, type CloudHistory, type Intent, type Outcome } from './cloud-history.js';
import type { Company, NemesisSession } from './cloud-sessions.js';

/** Who comes again and again at once keeps a machine busy that has to start its functions first. */
const longestPauseMs = 16_000;

/**
 * Who has begun one chat: sends messages, sometimes several times or two at once, while somebody
 * tries who may not, and looks at what becomes of them.
 */
export class CloudDriver {
  constructor(
    private readonly company: Company,
    private readonly session: NemesisSession,
    private readonly history: CloudHistory,
    private readonly random: Random,
  ) {}

  get sessionId(): string {
    return this.session.sessionId;
  }

  /** Nothing is taken from under it. */
  get stays(): boolean {
    return this.session.lot === 'stays';
  }

  async send(prompts: number): Promise<void> {
    let number = 1;
    while (number <= prompts) {
      // As from two windows.
      const atOnce = Math.min(this.random.chance(0.1) ? 2 : 1, prompts - number + 1);
      const sendings = Array.from({ length: atOnce }, (_, index) => this.sendOne(number + index));
      await Promise.all([...sendings, ...(this.random.chance(0.1) ? [this.intrude(number)] : [])]);
      number += atOnce;
      await wait(this.random.between(0, 1_500));
    }
  }

  /** True when nothing waits any more. */
  async isSettled(): Promise<boolean> {
    const { body, status } = await this.company.host.get(this.path(''));
    return status === 200 && body.session.queuedPrompts === 0;
  }

  /** What the API says of every message of the chat. */
  async outcomes(): Promise<readonly Outcome[]> {
    const outcomes: Outcome[] = [];
    for await (const delivery of this.pages('/deliveries', 'deliveries'))
      outcomes.push({
        messageId: String(delivery.messageId),
        sessionId: this.sessionId,
        state: String(delivery.state),
        reason: typeof delivery.reason === 'string' ? delivery.reason : null,
        createdAt: Date.parse(String(delivery.createdAt)),
        sequence: Number(delivery.sequence),
      });
    return outcomes;
  }

  /** All that the agent has said, as it is shown. */
  async said(): Promise<string> {
    let said = '';
    for await (const message of this.pages('/messages?roles=assistant', 'messages'))
      said += `${message.content}\n`;
    return said;
  }

  /** Reads all that the checker needs of the chat. */
  async read(): Promise<void> {
    this.history.outcomes.push(...(await this.outcomes()));
    this.history.said.set(this.sessionId, await this.said());
    const shown: string[] = [];
    for await (const message of this.pages('/messages?roles=user', 'messages'))
      shown.push(String(message.id));
    this.history.shown.set(this.sessionId, shown);
  }

  private async sendOne(number: number): Promise<void> {
    const intent = this.intend(`${this.sessionId}-${number}`, 'creator', this.random.chance(0.1));
    const times = this.random.chance(0.15) ? this.random.between(2, 3) : 1;
    await Promise.all(Array.from({ length: times }, () => this.sendOnce(intent, this.session.person)));
  }

  private async intrude(number: number): Promise<void> {
    const { host, guest } = this.company;
    const stranger = this.session.person === guest ? host : guest;
    await this.sendOnce(this.intend(`${this.sessionId}-${number}-not-mine`, 'stranger'), stranger);
  }

  private intend(messageId: string, by: Intent['by'], interrupts = false): Intent {
    const text = `do it: delivery=${messageId} [[say ${answerTo(messageId)}]]`;
    const intent = { messageId, sessionId: this.sessionId, text, by, interrupts };
    this.history.intents.push(intent);
    return intent;
  }

  /** Again until it is answered, as somebody does whose request was cut. */
  private async sendOnce({ messageId, text, by, interrupts }: Intent, person: Person): Promise<void> {
    const prompt = { content: text, messageId, messageClass: interrupts ? 'interrupt' : 'deliver' };
    for (let pauseMs = 1_000; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      const answer = await person.post(this.path('/prompt'), prompt).catch(() => undefined);
      if (answer?.status === 202) {
        this.history.accepted.push({ messageId, deliveryId: String(answer.body.deliveryId) });
        return;
      }
      if (answer && answer.status < 500 && answer.status !== 429) {
        if (by === 'creator' && this.stays)
          throw new Error(`A prompt was answered ${answer.status}: ${answer.text}`);
        this.history.refused.push(messageId);
        return;
      }
      await wait(this.random.between(pauseMs, 3 * pauseMs));
    }
  }

  /** As the host reads it, who stays. */
  private async *pages(path: string, list: string): AsyncGenerator<Record<string, unknown>> {
    let cursor: string | null = null;
    do {
      const query = new URLSearchParams({ limit: '100', ...(cursor ? { cursor } : {}) });
      const page = this.path(`${path}${path.includes('?') ? '&' : '?'}${query}`);
      const { status, body, text } = await this.company.host.get(page);
      if (status !== 200) throw new Error(`${page} answered ${status}: ${text}`);
      yield* body[list];
      cursor = body.nextCursor;
    } while (cursor);
  }

  private path(rest: string): string {
    return `/api/projects/${this.company.projectId}/sessions/${this.sessionId}${rest}`;
  }
}
