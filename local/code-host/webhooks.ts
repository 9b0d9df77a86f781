import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { application, findPerson, type Repository } from './directory.js';
import type { Grant } from './grants.js';
import { shownRepository } from './shown-repository.js';

interface WebhooksOptions {
  /** Origin of the code host. */
  readonly url: string;
  /** Origin of the application. */
  readonly publicUrl: string;
  readonly secret: string;
}

/** One event of a repository, without what all events have in common. */
export interface HostEvent {
  readonly name: string;
  readonly repository: Repository;
  /** The grant of the token. */
  readonly by: Grant | undefined;
  readonly payload: object;
}

/** Before each repeat of a delivery that got no answer. */
const pausesMs = [1_000, 5_000, 20_000];
const timeoutMs = 10_000;

/** Signs and sends what happens in repositories, as the code host does to the application. */
export class Webhooks implements Disposable {
  private readonly ended = new AbortController();

  constructor(private readonly options: WebhooksOptions) {}

  /** Returns at once. A delivery that is lost after its repeats is lost. */
  send({ name, repository, by, payload }: HostEvent): void {
    const { url } = this.options;
    const owner = findPerson(repository.owner);
    const body = JSON.stringify({
      ...payload,
      repository: { ...shownRepository(url, repository), pushed_at: Math.floor(Date.now() / 1_000) },
      sender: { login: actorOf(by), type: by?.kind === 'user' ? 'User' : 'Bot' },
      installation: { id: owner?.installationId },
    });
    this.deliver(name, body).catch(() => undefined);
  }

  [Symbol.dispose](): void {
    this.ended.abort();
  }

  private async deliver(name: string, body: string): Promise<void> {
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'GitHub-Hookshot/laptop',
      'x-github-delivery': randomUUID(),
      'x-github-event': name,
      'x-hub-signature-256': `sha256=${createHmac('sha256', this.options.secret).update(body).digest('hex')}`,
    };
    for (const pauseMs of [...pausesMs, null]) {
      if (await this.isAnswered({ method: 'POST', headers, body })) return;
      if (pauseMs !== null) await delay(pauseMs, undefined, { signal: this.ended.signal, ref: false });
    }
  }

  /** A refusal is an answer: a repeat gets the same. */
  private async isAnswered(init: RequestInit): Promise<boolean> {
    const signal = AbortSignal.any([this.ended.signal, AbortSignal.timeout(timeoutMs)]);
    try {
      const target = new URL('/api/codehost/webhook', this.options.publicUrl);
      const { status, body } = await fetch(target, { ...init, signal });
      await body?.cancel();
      return status < 500 && status !== 429;
    } catch {
      return false;
    }
  }
}

const actorOf = (by: Grant | undefined): string =>
  by?.kind === 'user' ? by.login : `${application.slug}[bot]`;
