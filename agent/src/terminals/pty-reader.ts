import { ReadStream } from 'node:tty';

/** For all terminals: what was read is taken before anything else is read. By itself Node allocates as much for each page. */
const buffer = Buffer.allocUnsafeSlow(64 * 1_024);
/** So much the kernel gives of a terminal at once. Where a buffer was filled, Node reads again in the same turn of its loop. */
const page = buffer.subarray(0, 4_095);
/** Then all others have theirs. */
const pagesATurn = 4;

/** Reads the master of a pseudo terminal, whose descriptor it owns. */
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
          // A stream that was paused just after it was resumed would read on.
          return !this.isPaused;
        },
      },
    });
    // The last program has left the terminal (EIO); the stream has closed itself.
    this.stream.on('error', () => {});
    this.closed = new Promise((resolve) => this.stream.once('close', () => resolve()));
  }

  /** From then on the descriptor's number may be another file's. */
  get isClosed(): boolean {
    return this.stream.destroyed;
  }

  /** @param take is given bytes that are good until it returns */
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

  /** One that is not filled ends the turn. */
  private nextBuffer(): Uint8Array {
    this.pages += 1;
    return this.pages % pagesATurn === 0 ? buffer : page;
  }
}
