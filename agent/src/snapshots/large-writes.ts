import { Writable } from 'node:stream';

/** Each call of a compressor costs as much as some hundred kilobytes of its work. */
export const largeWriteBytes = 1_024 * 1_024;
/** One is filled while the others wait for the compressor. */
const maxBuffers = 4;

/** Buffers that several `LargeWrites` use one after the other. */
export class WriteBuffers {
  private readonly free: Buffer[] = [];
  private count = 0;

  /** Null when all are in use. */
  take(): Buffer | null {
    const buffer = this.free.pop();
    if (buffer || this.count === maxBuffers) return buffer ?? null;
    this.count += 1;
    return Buffer.allocUnsafeSlow(largeWriteBytes);
  }

  give(buffer: Buffer): void {
    this.free.push(buffer);
  }
}

/**
 * Copies small chunks into large writes to a compressor. New buffers would be external memory, for
 * which V8 marks the heap again and again.
 */
export class LargeWrites extends Writable {
  private buffer: Buffer | null = null;
  private length = 0;
  /** Continues when a buffer is free. */
  private waiting: (() => void) | null = null;

  constructor(
    private readonly target: Writable,
    private readonly buffers: WriteBuffers,
  ) {
    super();
    // A compressor that fails takes no more writes.
    target.once('close', () => this.destroy());
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.buffer ??= this.buffers.take();
    if (!this.buffer) {
      this.waiting = () => this._write(chunk, encoding, done);
      return;
    }
    const copied = chunk.copy(this.buffer, this.length);
    this.length += copied;
    if (this.length === this.buffer.length) this.pass(this.buffer);
    if (copied === chunk.length) done();
    else this._write(chunk.subarray(copied), encoding, done);
  }

  override _final(done: () => void): void {
    if (this.buffer) this.pass(this.buffer);
    this.target.end();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (!this.writableFinished) this.target.destroy(error ?? undefined);
    done(error);
  }

  /** The buffer may be filled again once the compressor has read it. */
  private pass(buffer: Buffer): void {
    this.target.write(buffer.subarray(0, this.length), () => {
      this.buffers.give(buffer);
      const resume = this.waiting;
      this.waiting = null;
      resume?.();
    });
    this.buffer = null;
    this.length = 0;
  }
}
