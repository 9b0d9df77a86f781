import type { Readable, Writable } from 'node:stream';
import type { AnyMessage, Stream } from '@agentclientprotocol/sdk';
import { type Message, messageLines, parseMessage } from './message-lines.js';

interface OrderedStreamOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly maxLineBytes: number;
  /** After which an update that is still being handled holds up the next one no longer. */
  readonly serializeTimeoutMs: number;
  /** Handles the parameters of a `session/update`; the next one waits for its promise. Must not fail. */
  readonly onUpdate: (params: unknown) => void | Promise<void>;
}

/** So many updates may wait; then the harness has to. */
const maxWaiting = 1_000;

/**
 * The messages of a harness, in an order that listeners can rely on. The SDK starts the handler of each notification at
 * once, so slow ones overlap and overtake each other, checks updates first, and drops all kinds that are newer than
 * itself without a word. So a `session/update` goes past it: to its handler once the one before it has been handled. The
 * answers to `session/prompt` and `session/load` reach the SDK only when all updates before them have been. Everything
 * else passes at once: a harness that asks for a file must not wait for a slow viewer.
 */
export class OrderedStream {
  readonly stream: Stream;
  private readonly waiting: Message[] = [];
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

  private async read(): Promise<void> {
    try {
      for await (const lines of messageLines(this.options.input, this.options.maxLineBytes))
        for (const line of lines) {
          const message = parseMessage(line);
          if (message && !this.take(message)) await this.hasRoom.promise;
        }
      await this.drained();
      this.end();
    } catch (error) {
      await this.drained();
      this.end(error);
    }
  }

  /** False when no more should be taken for now. */
  private take(message: Message): boolean {
    if (!this.keepsPlace(message)) {
      this.release(message);
      return true;
    }
    // Most are handled on the spot: nothing waits, and nobody waits for them.
    if (!this.isDraining) {
      const handled = this.handle(message);
      if (handled) void this.drain(handled);
      return true;
    }
    this.waiting.push(message);
    if (this.waiting.length < maxWaiting) return true;
    this.hasRoom = Promise.withResolvers<void>();
    return false;
  }

  private keepsPlace(message: Message): boolean {
    if (message.method !== undefined) return message.method === 'session/update';
    return this.ordered.delete(message.id);
  }

  /** Handles what comes while something is being handled. */
  private async drain(handled: Promise<void>): Promise<void> {
    this.isDraining = true;
    await handled;
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

  /** A promise for what takes time, though never longer than the limit. */
  private handle(message: Message): Promise<void> | null {
    if (message.method !== 'session/update') {
      this.release(message);
      return null;
    }
    if (this.isOver) return null;
    const handled = this.options.onUpdate(message.params);
    return handled ? this.limited(handled) : null;
  }

  private limited(handled: Promise<void>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, this.options.serializeTimeoutMs);
    const settle = () => {
      clearTimeout(timer);
      resolve();
    };
    handled.then(settle, settle);
    return promise;
  }

  private release(message: Message): void {
    // The SDK checks what it is given.
    if (!this.isOver) this.controller?.enqueue(message as AnyMessage);
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
