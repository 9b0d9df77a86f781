import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { SnapshotSection } from '../../../protocol/snapshots.js';

/** Writes a snapshot's sections one after the other into one file, and hashes each and the whole. */
export class ArchiveWriter implements AsyncDisposable {
  readonly sections: SnapshotSection[] = [];
  private readonly whole = createHash('sha256');
  private sizeBytes = 0;

  private constructor(private readonly file: FileHandle) {}

  static async create(path: string): Promise<ArchiveWriter> {
    return new ArchiveWriter(await open(path, 'wx', 0o600));
  }

  async add(name: string, content: Readable | Buffer): Promise<void> {
    const offset = this.sizeBytes;
    const hash = createHash('sha256');
    const source = Buffer.isBuffer(content) ? Readable.from([content]) : content;
    await pipeline(source, createGzip({ level: 6 }), async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) {
        hash.update(chunk);
        await this.file.appendFile(chunk);
        this.whole.update(chunk);
        this.sizeBytes += chunk.length;
      }
    });
    this.sections.push({ name, offset, sizeBytes: this.sizeBytes - offset, sha256: hash.digest('hex') });
  }

  finish(): { readonly sizeBytes: number; readonly sha256: string } {
    return { sizeBytes: this.sizeBytes, sha256: this.whole.digest('hex') };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.file.close();
  }
}
