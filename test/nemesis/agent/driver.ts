import type { DeliveryClient } from './delivery-client.js';
import type { Cut, Intent } from './history.js';
import type { Random } from './random.js';

const promptsASession = 25;
const cuts: readonly Cut[] = ['within_request', 'after_request', 'at_reply'];

/** Remaining deliveries, shared by all drivers. */
export class Remaining {
  private taken = 0;

  constructor(private readonly total: number) {}

  get done(): number {
    return this.taken;
  }

  /** The number of the next delivery; null when none is left. */
  take(): number | null {
    if (this.taken >= this.total) return null;
    this.taken += 1;
    return this.taken;
  }
}

/** Makes deliveries on one session after the other. Repeats, cuts or changes many requests. */
export class Driver {
  private sessions = 0;

  constructor(
    private readonly name: string,
    private readonly client: DeliveryClient,
    private readonly random: Random,
  ) {}

  async run(remaining: Remaining): Promise<void> {
    let session: { readonly id: string; prompts: number } | null = null;
    for (let number = remaining.take(); number !== null; number = remaining.take()) {
      session ??= await this.newSession();
      const kind = session.prompts === 0 ? 'start' : 'prompt';
      const intent = this.intent(number, session.id, kind);
      const delivered = await this.client.deliver(intent, () => this.cuts());
      if (delivered === 'accepted') await this.afterwards(intent);
      session.prompts += 1;
      // After an unknown start the session is not used any more.
      const hasEnded = delivered !== 'accepted' && (kind === 'start' || delivered === 'session_broken');
      if (!hasEnded && session.prompts < promptsASession) continue;
      await this.client.stopSession(session.id);
      session = null;
    }
  }

  /** Repeats at once or later, or sends another request with the same id. */
  private async afterwards(intent: Intent): Promise<void> {
    if (this.random.chance(0.1)) await this.client.send(intent, 'none', this.changed(intent));
    await this.client.settled(intent);
    if (this.random.chance(0.1)) await this.client.send(intent, 'none');
    if (this.random.chance(0.1)) await this.client.send(intent, 'none', this.changed(intent));
  }

  private changed({ deliveryId }: Intent): string {
    return `changed ${this.random.between(0, 1e9)} delivery=${deliveryId}`;
  }

  /** Sends one request or several at once. Each may be cut. */
  private cuts(): Cut[] {
    const many = this.random.chance(0.15) ? this.random.between(2, 4) : 1;
    return Array.from({ length: many }, () =>
      this.random.chance(0.25) ? (this.random.pick(cuts) ?? 'none') : 'none',
    );
  }

  private intent(number: number, sessionId: string, kind: Intent['kind']): Intent {
    const deliveryId = `d-${number}`;
    const turn = this.random.pick(['[[say done]]', '[[flood 5 200]]', '[[flood 30 400]]', '']) ?? '';
    return { deliveryId, sessionId, kind, text: `do it: delivery=${deliveryId} ${turn}` };
  }

  private async newSession() {
    this.sessions += 1;
    const id = `${this.name}-${this.sessions}`;
    await this.client.createSession(id);
    return { id, prompts: 0 };
  }
}
