import { setTimeout as wait } from 'node:timers/promises';
import type { Random } from '../agent/random.js';
import type { CloudHistory, Intent, Outcome } from './cloud-history.js';
import type { CloudTarget } from './cloud-target.js';

/** A person with one chat: sends messages, sometimes several times at once, and looks at what becomes of them. */
export class CloudDriver {
  constructor(
    private readonly target: CloudTarget,
    private readonly history: CloudHistory,
    readonly sessionId: string,
    private readonly random: Random,
  ) {}

  async send(prompts: number): Promise<void> {
    for (let number = 1; number <= prompts; number += 1) {
      const messageId = `${this.sessionId}-${number}`;
      const intent = {
        messageId,
        sessionId: this.sessionId,
        text: `do it: delivery=${messageId} [[say done]]`,
      };
      this.history.intents.push(intent);
      const times = this.random.chance(0.15) ? this.random.between(2, 3) : 1;
      await Promise.all(Array.from({ length: times }, () => this.sendOnce(intent)));
      await wait(this.random.between(0, 1_500));
    }
  }

  /** True when nothing waits any more. */
  async isSettled(): Promise<boolean> {
    const { body, status } = await this.target.person.get(this.path(''));
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

  /** Reads all that the checker needs of the chat. */
  async read(): Promise<void> {
    this.history.outcomes.push(...(await this.outcomes()));
    const shown: string[] = [];
    for await (const message of this.pages('/messages?roles=user', 'messages'))
      shown.push(String(message.id));
    this.history.shown.set(this.sessionId, shown);
  }

  /** Again until it is answered, as somebody does whose request was cut. */
  private async sendOnce({ messageId, text }: Intent): Promise<void> {
    for (;;) {
      const answer = await this.target.person
        .post(this.path('/prompt'), { content: text, messageId })
        .catch(() => undefined);
      if (answer?.status === 202) {
        this.history.accepted.push({ messageId, deliveryId: String(answer.body.deliveryId) });
        return;
      }
      if (answer && answer.status < 500 && answer.status !== 429)
        throw new Error(`A prompt was answered ${answer.status}: ${answer.text}`);
      await wait(this.random.between(1_000, 3_000));
    }
  }

  private async *pages(path: string, list: string): AsyncGenerator<Record<string, unknown>> {
    let cursor: string | null = null;
    do {
      const query = new URLSearchParams({ limit: '100', ...(cursor ? { cursor } : {}) });
      const page = this.path(`${path}${path.includes('?') ? '&' : '?'}${query}`);
      const { status, body, text } = await this.target.person.get(page);
      if (status !== 200) throw new Error(`${page} answered ${status}: ${text}`);
      yield* body[list];
      cursor = body.nextCursor;
    } while (cursor);
  }

  private path(rest: string): string {
    return `/api/projects/${this.target.projectId}/sessions/${this.sessionId}${rest}`;
  }
}
