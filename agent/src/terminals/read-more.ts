import { readSync } from 'node:fs';
import { ReadStream } from 'node:tty';
import type { IPty } from '@lydell/node-pty';

/** What Linux gives of a pseudo terminal in one read where there is more. */
const fullReadBytes = 4_095;
/** The most that one terminal reads in a turn of the loop, in which others wait for theirs. */
const turnBytes = 64 * 1_024;

/** For all terminals: what one has read is taken before the next one reads. */
const buffer = Buffer.allocUnsafeSlow(turnBytes);

/** Reads on where the stream of a pseudo terminal stops, which takes a turn of the loop for every page. */
export class ReadMore {
  private constructor(
    private readonly fd: number,
    private readonly stream: ReadStream,
  ) {}

  /** Null for one that does not show what it reads from. */
  static of(pty: IPty): ReadMore | null {
    if (!('fd' in pty && typeof pty.fd === 'number')) return null;
    if (!('_socket' in pty && pty._socket instanceof ReadStream)) return null;
    return new ReadMore(pty.fd, pty._socket);
  }

  /** What the stream gave, and what can be read after it at once. Good until the next call, for whichever terminal. */
  after(given: Uint8Array): Uint8Array {
    if (given.length < fullReadBytes || given.length >= turnBytes || !this.isNext()) return given;
    buffer.set(given);
    let length = given.length;
    for (let read = fullReadBytes; read >= fullReadBytes && length < turnBytes; length += read)
      read = this.read(length);
    return buffer.subarray(0, length);
  }

  /** Whether nothing that the stream holds comes before what the terminal would give now. */
  private isNext(): boolean {
    return this.stream.readableLength === 0 && !this.stream.destroyed;
  }

  private read(at: number): number {
    try {
      return readSync(this.fd, buffer, at, turnBytes - at, null);
    } catch {
      // Nothing there yet, or the end: the stream will find it too.
      return 0;
    }
  }
}
