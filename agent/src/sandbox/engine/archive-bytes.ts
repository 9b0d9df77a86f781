import type { Readable } from 'node:stream';
import { ArchiveRefused } from './tar-entry.js';

/** Reads an archive in pieces of known lengths. */
export class ArchiveBytes {
  private readonly chunks: AsyncIterator<Buffer>;
  private rest = Buffer.alloc(0);

  constructor(archive: Readable) {
    this.chunks = archive[Symbol.asyncIterator]();
  }

  /** Exactly this many bytes, in one buffer. @throws ArchiveRefused */
  async take(count: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for await (const piece of this.pass(count)) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  /** Exactly this many bytes, as they arrive. @throws ArchiveRefused */
  async *pass(count: number): AsyncGenerator<Buffer> {
    for (let missing = count; missing > 0; ) {
      if (await this.isAtEnd()) throw new ArchiveRefused('the build context ends early');
      const piece = this.rest.subarray(0, missing);
      this.rest = this.rest.subarray(piece.length);
      missing -= piece.length;
      yield piece;
    }
  }

  /** The padding after an entry. The docker command leaves it out at the end of some archives. */
  async skip(count: number): Promise<void> {
    if (count > 0 && !(await this.isAtEnd())) await this.take(count);
  }

  /** Whether no byte follows. */
  async isAtEnd(): Promise<boolean> {
    while (this.rest.length === 0) {
      const { done, value } = await this.chunks.next();
      if (done) return true;
      this.rest = Buffer.from(value);
    }
    return false;
  }

  /** Reads and discards the rest. */
  async end(): Promise<void> {
    for (let isDone = false; !isDone; ) isDone = (await this.chunks.next()).done === true;
  }
}
