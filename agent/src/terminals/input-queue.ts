import { writeSync } from 'node:fs';

const retryMs = 10;
/** What may wait for a program that does not read: more than anybody types or pastes. */
export const mostWaitingBytes = 4 * 1_024 * 1_024;

/**
 * Hands input to a pseudo terminal as fast as the program behind it takes it. Streams of Node do not wait for that: they
 * write to the master of a pseudo terminal in a loop until all is taken, and with them waits the whole process.
 */
export class InputQueue {
  private waiting: Uint8Array[] = [];
  private waitingBytes = 0;
  private timer: NodeJS.Timeout | null = null;

  /** @param fd of the master, which does not block; null once it is closed, for another file may have the number then */
  constructor(private readonly fd: () => number | null) {}

  /** What is too much for a program that reads nothing is dropped, as terminals do. */
  add(bytes: Uint8Array): void {
    if (this.waitingBytes + bytes.length > mostWaitingBytes) return;
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

  /** How much of it was taken; null: nothing for now. Nobody misses what is written to a terminal that is gone. */
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
