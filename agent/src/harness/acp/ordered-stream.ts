import type { Readable, Writable } from 'node:stream';
import type { AnyMessage, Stream } from '@agentclientprotocol/sdk';
import { type Message, parseMessage } from './message.js';
import { messageLines } from './message-lines.js';

export interface OrderedStreamOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly maxLineBytes: number;
  /** After which an update that is still being handled holds up the next one no longer. */
  readonly serializeTimeoutMs: number;
}

/**
 * The name under which updates reach the SDK. Under their own it would check them first, and drop all kinds that are newer
 * than itself without a word to whoever waits for them to be handled.
 */
export const orderedUpdate = '_berth/update';

/** So many updates may wait; then the harness has to. */
const maxWaiting = 1_000;

/**
 * The messages of a harness, in an order that listeners can rely on. The SDK starts the handler of each notification at
 * once, so slow ones overlap and overtake each other. Here a `session/update` is released only when the one before it
 * has been handled, and the answers to `session/prompt` and `session/load` only when all updates before them have.
 * Everything else passes at once: a harness that asks for a file must not wait for a slow viewer.
 */
export class OrderedStream {
  readonly stream: Stream;
  private readonly waiting: Message[] = [];
  /** Settles the update that is being handled; known by its parameters, which the SDK passes on as they are. */
  private readonly handled = new WeakMap<object, () => void>();
  /** Ids of requests whose answers keep their place among the updates. */
  private readonly ordered = new Set<unknown>();
  private controller: ReadableStreamDefaultController<AnyMessage> | undefined;
  private isDraining = false;
  private isOver = false;
  private hasRoom = Promise.withResolvers<void>();
  private whenDrained: (() => void) | undefined;

  constructor(private readonly options: OrderedStreamOptions) {
    this.stream = {
      readable: new ReadableStream<AnyMessage>({
        start: (controller) => {
          this.controller = controller;
          this.read().catch(() => undefined);
        },
        cancel: () => {
          this.end();
        },
      }),
      writable: new WritableStream<AnyMessage>({ write: (message) => this.send(message) }),
    };
    // A harness that is gone: its end tells, not the write.
    options.output.on('error', () => undefined);
  }

  /** The update with these parameters has been handled. */
  settle(params: object): void {
    this.handled.get(params)?.();
  }

  private async read(): Promise<void> {
    try {
      for await (const line of messageLines(this.options.input, this.options.maxLineBytes)) {
        const message = parseMessage(line);
        if (message) await this.take(message);
      }
      await this.drained();
      this.end();
    } catch (error) {
      await this.drained();
      this.end(error);
    }
  }

  private async take(message: Message): Promise<void> {
    if (!this.keepsPlace(message)) {
      this.release(message);
      return;
    }
    this.waiting.push(message);
    this.drain().catch(() => undefined);
    if (this.waiting.length < maxWaiting) return;
    this.hasRoom = Promise.withResolvers<void>();
    await this.hasRoom.promise;
  }

  private keepsPlace(message: Message): boolean {
    if (message.method !== undefined) return message.method === 'session/update';
    return this.ordered.delete(message.id);
  }

  private async drain(): Promise<void> {
    if (this.isDraining) return;
    this.isDraining = true;
    for (let message = this.waiting.shift(); message; message = this.waiting.shift()) {
      if (this.waiting.length < maxWaiting / 2) this.hasRoom.resolve();
      await this.handle(message);
    }
    this.isDraining = false;
    this.whenDrained?.();
  }

  private async drained(): Promise<void> {
    if (!this.isDraining) return;
    await new Promise<void>((resolve) => {
      this.whenDrained = resolve;
    });
  }

  private async handle(message: Message): Promise<void> {
    const { params } = message;
    if (message.method !== 'session/update' || typeof params !== 'object' || params === null) {
      this.release(message);
      return;
    }
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.options.serializeTimeoutMs);
      this.handled.set(params, () => {
        clearTimeout(timer);
        resolve();
      });
      if (!this.release({ ...message, method: orderedUpdate })) this.settle(params);
    });
  }

  private release(message: Message): boolean {
    if (this.isOver) return false;
    // The SDK checks what it is given.
    this.controller?.enqueue(message as AnyMessage);
    return true;
  }

  private end(error?: unknown): void {
    if (this.isOver) return;
    this.isOver = true;
    this.hasRoom.resolve();
    if (error === undefined) this.controller?.close();
    else this.controller?.error(error);
    // Whatever it still says has no listener, and must not fill its pipe.
    this.options.input.resume();
  }

  private async send(message: AnyMessage): Promise<void> {
    if ('id' in message && 'method' in message && hasPlace(message.method)) this.ordered.add(message.id);
    const { output } = this.options;
    if (output.destroyed || output.write(`${JSON.stringify(message)}\n`)) return;
    await new Promise<void>((resolve) => {
      const go = () => {
        for (const event of ['drain', 'close', 'error']) output.removeListener(event, go);
        resolve();
      };
      for (const event of ['drain', 'close', 'error']) output.once(event, go);
    });
  }
}

function hasPlace(method: string): boolean {
  return method === 'session/prompt' || method === 'session/load';
}
