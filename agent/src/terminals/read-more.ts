import { readSync } from 'node:fs';
import { ReadStream } from 'node:tty';
import type { IPty } from '@lydell/node-pty';
import { TurnBudget } from './turn-budget.js';

/** What Linux gives of a pseudo terminal in one read where there is more. */
const fullReadBytes = 4_095;
/** The most that one terminal reads in a turn of the loop, and that all of them read on in it: the next key waits for its end. */
const terminalBytes = 64 * 1_024;
const turn = new TurnBudget(2 * terminalBytes);

/** For all terminals: what one has read is taken before the next one reads. */
const buffer = Buffer.allocUnsafeSlow(terminalBytes);

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
    const isMore = given.length >= fullReadBytes && given.length < terminalBytes;
    return isMore && this.isNext() ? this.readOn(given) : given;
  }

  private readOn(given: Uint8Array): Uint8Array {
    buffer.set(given);
    const end = Math.min(terminalBytes, given.length + turn.left);
    let length = given.length;
    for (let read = fullReadBytes; read >= fullReadBytes && length < end; length += read)
      read = this.read(length, end);
    turn.spend(length - given.length);
    return buffer.subarray(0, length);
  }

  /** Whether nothing that the stream holds comes before what the terminal would give now. */
  private isNext(): boolean {
    return this.stream.readableLength === 0 && !this.stream.destroyed;
  }

  private read(at: number, end: number): number {
    try {
      return readSync(this.fd, buffer, at, end - at, null);
    } catch {
      // Nothing there yet, or the end: the stream will find it too.
      return 0;
    }
  }
}
