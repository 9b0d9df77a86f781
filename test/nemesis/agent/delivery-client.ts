import { setTimeout as wait } from 'node:timers/promises';
import { type Answered, cutRequest } from './cut-request.js';
import type { Cut, History, Intent, Sighting } from './history.js';
import type { NemesisTarget } from './nemesis-target.js';

type Delivered = 'accepted' | 'left_alone' | 'session_broken';

/** Longer than any restart of the node. */
const timeoutMs = 90_000;

/**
 * A client of prompt receipts that follows the rules: it sends again only after `not_ready`, or
 * after `not_found` with the runtime identity that it knew at the first send.
 */
export class DeliveryClient {
  constructor(
    private readonly target: NemesisTarget,
    private readonly history: History,
  ) {}

  /** Sends until the result is known. `cuts` has one entry for each concurrent request. */
  async deliver(intent: Intent, nextCuts: () => readonly Cut[]): Promise<Delivered> {
    this.history.intents.push(intent);
    const deadline = Date.now() + timeoutMs;
    let known = await this.runtimeIdentity();
    while (Date.now() < deadline) {
      const answers = await Promise.all(nextCuts().map((cut) => this.send(intent, cut)));
      if (answers.some((answer) => answer?.status === 202 || answer?.status === 200)) return 'accepted';
      if (answers.some((answer) => answer?.status === 404)) return 'session_broken';
      if (answers.includes(null)) {
        const { state, runtimeIdentity } = await this.lookUp(intent);
        if (state === 'not_found' && runtimeIdentity !== known) return this.leaveAlone(intent);
        if (state !== 'not_found' && state !== 'accepted') return 'accepted';
      }
      if (await this.isBroken(intent.sessionId)) return 'session_broken';
      await wait(20);
      known = await this.runtimeIdentity();
    }
    return 'session_broken';
  }

  /** The same request, or another text with the same id. */
  async send(intent: Intent, cut: Cut, changedText: string | null = null): Promise<Answered | null> {
    const { deliveryId, sessionId, kind } = intent;
    const text = changedText ?? intent.text;
    const what = kind === 'start' ? { agentType: 'claude-code', initialPrompt: text } : { prompt: text };
    const sentAt = Date.now();
    const answer = await this.ask('POST', `/agent-sessions/${sessionId}/${kind}`, {
      body: { protocolVersion: 1, deliveryId, ...what },
      cut,
    });
    const word = answer ? String(answer.body.status ?? answer.body.error) : null;
    this.history.sendings.push({
      deliveryId,
      changedText,
      cut,
      sentAt,
      status: answer?.status ?? null,
      word,
    });
    this.see(deliveryId, answer?.body.receipt, sentAt);
    return answer;
  }

  /** Waits until the receipt is final. */
  async settled(intent: Intent): Promise<Sighting['state']> {
    const deadline = Date.now() + timeoutMs;
    for (let pauseMs = 10; ; pauseMs = Math.min(pauseMs * 1.5, 200)) {
      const { state } = await this.lookUp(intent);
      if (state !== 'in_flight' || Date.now() > deadline) return state;
      await wait(pauseMs);
    }
  }

  async lookUp(intent: Pick<Intent, 'deliveryId' | 'sessionId'>) {
    const { deliveryId, sessionId } = intent;
    const path = `/agent-sessions/${sessionId}/prompt-receipts/${deliveryId}`;
    const askedAt = Date.now();
    const { body } = await this.insist('GET', path);
    const state = this.see(deliveryId, body, askedAt);
    return { state, runtimeIdentity: String(body.runtimeIdentity) };
  }

  async createSession(sessionId: string): Promise<void> {
    await this.insist('POST', '/agent-sessions', { sessionId });
  }

  async stopSession(sessionId: string): Promise<void> {
    await this.insist('POST', `/agent-sessions/${sessionId}/stop`);
  }

  private async isBroken(sessionId: string): Promise<boolean> {
    const { body } = await this.insist('GET', '/agent-sessions');
    const sessions = body.sessions as { id: string; status: string }[];
    return sessions.find(({ id }) => id === sessionId)?.status !== 'running';
  }

  private leaveAlone({ deliveryId }: Intent): Delivered {
    this.history.givenUp.push(deliveryId);
    return 'left_alone';
  }

  private async runtimeIdentity(): Promise<string> {
    return String((await this.insist('GET', '/agent-capabilities')).body.runtimeIdentity);
  }

  private see(deliveryId: string, body: unknown, askedAt: number): Sighting['state'] {
    const receipt = body as { state?: Sighting['state']; acceptedAt?: number | null } | undefined;
    const { state, acceptedAt = null } = receipt ?? {};
    if (state === undefined) return 'not_found';
    this.history.sightings.push({ deliveryId, askedAt, at: Date.now(), state, acceptedAt });
    return state;
  }

  /** Retries until there is an answer. Used only for idempotent requests. */
  private async insist(method: string, path: string, body?: unknown): Promise<Answered> {
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      const answer = await this.ask(method, path, { body });
      if (answer && answer.status < 500) return answer;
      if (Date.now() > deadline) throw new Error(`No answer: ${method} ${path} ${JSON.stringify(answer)}`);
      await wait(50);
    }
  }

  private async ask(method: string, path: string, more: { readonly body?: unknown; readonly cut?: Cut }) {
    const { workspaceId, address } = this.target;
    return cutRequest(address, { method, path: `/workspaces/${workspaceId}${path}`, ...more });
  }
}
