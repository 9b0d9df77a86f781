import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import type { Random } from '../agent/random.js';
import type { BatchRepeat, CloudHistory } from './cloud-history.js';

interface Batch {
  /** As at the front address. */
  readonly path: string;
  readonly authorization: string;
  readonly body: {
    readonly generation: number;
    readonly messages: readonly { readonly sessionId: string }[];
    readonly activity?: unknown;
  };
}

const created = 'http.client.request.created';
const ours = /\/api\/workspaces\/[^/]+\/messages$/;
const kept = 200;
/** Repeated requests also pass the front, but are not new reports of a node. */
const mark = 'x-repeated';

/**
 * Listens to the batches of messages that nodes send through the front, which runs in this process,
 * and sends some of them again: as they were, overlapping, or as of another life of their
 * workspace.
 */
export class CallbackTap implements Disposable {
  private readonly batches: Batch[] = [];

  constructor(
    private readonly url: string,
    private readonly repeats: CloudHistory['repeats'],
  ) {
    subscribe(created, this.listen);
  }

  /** False when nothing was received yet. */
  async repeat(random: Random): Promise<boolean> {
    const batch = random.pick(this.batches);
    const as = random.pick(['again', 'overlapping', 'other_generation'] as const);
    if (!batch || !as) return false;
    const body = this.change(batch, as);
    const times = random.between(1, 3);
    const statuses = await Promise.all(Array.from({ length: times }, () => this.send(batch, body)));
    this.repeats.push(...statuses.flatMap((status) => (status === undefined ? [] : [{ as, status }])));
    return true;
  }

  [Symbol.dispose](): void {
    unsubscribe(created, this.listen);
  }

  private change({ path, body }: Batch, as: BatchRepeat): Batch['body'] {
    if (as === 'other_generation') return { ...body, generation: body.generation + 1 };
    if (as === 'again') return body;
    const [first] = body.messages;
    const all = this.batches.filter((other) => other.path === path).flatMap((other) => other.body.messages);
    const ofChat = all.filter(({ sessionId }) => sessionId === first?.sessionId);
    // As many as a batch may hold, from the middle of one to the middle of another; by then the
    // agent does something else.
    const { activity: _, ...rest } = body;
    return { ...rest, messages: ofChat.slice(Math.floor(ofChat.length / 2)).slice(0, 50) };
  }

  private async send({ path, authorization }: Batch, body: Batch['body']): Promise<number | undefined> {
    const headers = { 'content-type': 'application/json', authorization, [mark]: 'yes' };
    const sent = fetch(`${this.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return sent.then(
      ({ status }) => status,
      () => undefined,
    );
  }

  private readonly listen = (message: unknown): void => {
    // What Node publishes on this channel.
    const { request } = message as { readonly request: ClientRequest };
    if (request.method !== 'POST' || !ours.test(request.path) || request.hasHeader(mark)) return;
    const chunks: Buffer[] = [];
    const write = request.write.bind(request);
    // The overloads are passed on as they come.
    request.write = ((chunk: Uint8Array, ...rest: []) => {
      chunks.push(Buffer.from(chunk));
      return write(chunk, ...rest);
    }) as typeof request.write;
    request.once('finish', () => this.keep(request, Buffer.concat(chunks)));
  };

  private keep(request: ClientRequest, content: Buffer): void {
    const path = request.path.slice(request.path.indexOf('/api/workspaces'));
    const body = JSON.parse(content.toString()) as Batch['body'];
    this.batches.push({ path, authorization: String(request.getHeader('authorization')), body });
    if (this.batches.length > kept) this.batches.shift();
  }
}
