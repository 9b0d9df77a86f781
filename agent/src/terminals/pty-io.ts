import { writeSync } from 'node:fs';
import { ReadStream } from 'node:tty';

/**
 * Shared by all terminals: each read is consumed before the next one. Node would allocate a buffer
 * per read.
 */
const buffer = Buffer.allocUnsafeSlow(64 * 1_024);
/**
 * The kernel returns at most this much per read. Node reads again in the same event loop turn when
 * a buffer was filled.
 */
const page = buffer.subarray(0, 4_095);
/** Then the event loop serves the other terminals. */
const pagesATurn = 4;

/** Reads the master of a pseudo terminal and owns its descriptor. */
export class PtyReader {
  readonly closed: Promise<void>;
  private readonly stream: ReadStream;
  private take: (bytes: Uint8Array) => void = () => {};
  private isPaused = false;
  private pages = 0;

  constructor(fd: number) {
    this.stream = new ReadStream(fd, {
      onread: {
        buffer: () => this.nextBuffer(),
        callback: (length) => {
          this.take(buffer.subarray(0, length));
          // A stream that is paused right after a resume would continue to read.
          return !this.isPaused;
        },
      },
    });
    // EIO: the last program has left the terminal. The stream has closed itself.
    this.stream.on('error', () => {});
    this.closed = new Promise((resolve) => this.stream.once('close', () => resolve()));
  }

  /** Once closed, the descriptor number may belong to another file. */
  get isClosed(): boolean {
    return this.stream.destroyed;
  }

  /** @param take receives bytes that are valid until it returns */
  read(take: (bytes: Uint8Array) => void): void {
    this.take = take;
    this.stream.resume();
  }

  pause(): void {
    this.isPaused = true;
    this.stream.pause();
  }

  resume(): void {
    this.isPaused = false;
    this.stream.resume();
  }

  close(): void {
    this.stream.destroy();
  }

  /** A buffer that is not filled ends the turn. */
  private nextBuffer(): Uint8Array {
    this.pages += 1;
    return this.pages % pagesATurn === 0 ? buffer : page;
  }
}

const retryMs = 10;
/**
 * Limit of input that waits for a program that does not read: more than anybody types or pastes.
 */
export const maxQueuedInputBytes = 4 * 1_024 * 1_024;

/**
 * Writes input to a pseudo terminal as fast as the program reads it. A stream of Node would block
 * the whole process: libuv writes to the master of a pseudo terminal in a loop until everything is
 * taken.
 */
export class InputQueue {
  private waiting: Uint8Array[] = [];
  private waitingBytes = 0;
  private timer: NodeJS.Timeout | null = null;

  /** @param fd of the non-blocking master; null once closed, because the number may be reused */
  constructor(private readonly fd: () => number | null) {}

  /** Drops input beyond the limit, as terminals do. */
  add(bytes: Uint8Array): void {
    if (this.waitingBytes + bytes.length > maxQueuedInputBytes) return;
    this.waiting.push(bytes);
    this.waitingBytes += bytes.length;
    if (this.timer === null) this.write();
  }

  private write(): void {
    this.timer = null;
    for (let next = this.waiting[0]; next !== undefined; next = this.waiting[0]) {
      const written = this.tryWrite(next);
      if (written === null) {
        this.timer = setTimeout(() => this.write(), retryMs);
        return;
      }
      this.waitingBytes -= written;
      if (written === next.length) this.waiting.shift();
      else this.waiting[0] = next.subarray(written);
    }
  }

  /**
   * Returns the number of bytes taken; null: try again later. Input for a closed terminal is
   * dropped.
   */
  private tryWrite(bytes: Uint8Array): number | null {
    const fd = this.fd();
    if (fd === null) return bytes.length;
    try {
      return writeSync(fd, bytes);
    } catch (error) {
      return error instanceof Error && 'code' in error && error.code === 'EAGAIN' ? null : bytes.length;
    }
  }
}
