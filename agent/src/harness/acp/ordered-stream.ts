import type { Readable, Writable } from 'node:stream';
import type { AnyMessage, Stream } from '@agentclientprotocol/sdk';
import { type Message, Messages, messageLines } from './message-lines.js';

interface OrderedStreamOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly maxLineBytes: number;
  /** After this time the next update no longer waits for the current one. */
  readonly serializeTimeoutMs: number;
  /** Called for each `session/update` as it arrives, also while others wait. Must not throw. */
  readonly onArrival?: (params: unknown) => void;
  /** Handles a `session/update`. The next one waits for its promise. Must not throw. */
  readonly onUpdate: (params: unknown) => void | Promise<void>;
}

/** With this many waiting updates the agent stops reading from the harness. */
const maxWaiting = 1_000;

/**
 * Delivers the messages of a harness in order. The SDK runs handlers of notifications concurrently
 * and drops update types that it does not know. So `session/update` bypasses the SDK: each update
 * waits for the previous one, and answers to `session/prompt` and `session/load` wait for all
 * updates before them. Everything else passes at once: a request for a file must not wait.
 */
export class OrderedStream {
  readonly stream: Stream;
  private readonly waiting: Message[] = [];
  /** Ids of requests whose answers are ordered with the updates. */
  private readonly ordered = new Set<unknown>();
  private controller: ReadableStreamDefaultController<AnyMessage> | undefined;
  private isDraining = false;
  private hasEnded = false;
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
    // The exit of the harness is handled, not the failed write.
    options.output.on('error', () => undefined);
  }

  private async read(): Promise<void> {
    const messages = new Messages();
    try {
      for await (const lines of messageLines(this.options.input, this.options.maxLineBytes))
        for (const line of lines) {
          const message = messages.parse(line);
          if (message && !this.take(message)) await this.hasRoom.promise;
        }
      await this.drained();
      this.end();
    } catch (error) {
      await this.drained();
      this.end(error);
    }
  }

  /** Returns false when reading has to pause. */
  private take(message: Message): boolean {
    if (message.method === 'session/update') this.options.onArrival?.(message.params);
    if (!this.keepsOrder(message)) {
      this.release(message);
      return true;
    }
    // The usual case: no update waits, so this one is handled at once.
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

  private keepsOrder(message: Message): boolean {
    if (message.method !== undefined) return message.method === 'session/update';
    return this.ordered.delete(message.id);
  }

  /** Handles queued messages after a slow update. */
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

  /** Returns a promise for a slow handler, limited by `serializeTimeoutMs`. */
  private handle(message: Message): Promise<void> | null {
    if (message.method !== 'session/update') {
      this.release(message);
      return null;
    }
    if (this.hasEnded) return null;
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
    // The SDK validates the message.
    if (!this.hasEnded) this.controller?.enqueue(message as AnyMessage);
  }

  private end(error?: unknown): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.hasRoom.resolve();
    if (error === undefined) this.controller?.close();
    else this.controller?.error(error);
    // Discards further output, so that the pipe of the harness does not fill.
    this.options.input.resume();
  }

  private async send(message: AnyMessage): Promise<void> {
    if ('id' in message && 'method' in message && isOrdered(message.method)) this.ordered.add(message.id);
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

function isOrdered(method: string): boolean {
  return method === 'session/prompt' || method === 'session/load';
}
