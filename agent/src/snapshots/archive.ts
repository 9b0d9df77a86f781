import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type { SnapshotManifest, SnapshotSection } from '../../../protocol/snapshots.js';

const emptyGzipBytes = 20;

/** Reads the sections of a downloaded snapshot. Verifies the hash of each before it is used. */
export class ArchiveReader {
  constructor(
    private readonly path: string,
    private readonly manifest: SnapshotManifest,
  ) {}

  async read(name: string): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for await (const chunk of await this.open(name)) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  }

  isEmpty(name: string): boolean {
    return this.find(name).sizeBytes <= emptyGzipBytes;
  }

  /** The uncompressed content. @throws when the hash differs from the manifest */
  async open(name: string): Promise<Readable> {
    const section = this.find(name);
    await this.check(section);
    const gunzip = createGunzip();
    pipeline(this.stored(section), gunzip).catch((error: Error) => gunzip.destroy(error));
    return gunzip;
  }

  private find(name: string): SnapshotSection {
    const section = this.manifest.sections.find((one) => one.name === name);
    if (!section) throw new Error(`The snapshot has no section ${name}`);
    return section;
  }

  private async check(section: SnapshotSection): Promise<void> {
    const hash = createHash('sha256');
    for await (const chunk of this.stored(section)) hash.update(chunk as Buffer);
    if (hash.digest('hex') !== section.sha256)
      throw new Error(`Snapshot section ${section.name} is damaged (hash mismatch)`);
  }

  private stored({ offset, sizeBytes }: SnapshotSection): Readable {
    // `end` is inclusive. A gzipped section is never empty.
    return createReadStream(this.path, { start: offset, end: offset + sizeBytes - 1 });
  }
}

/** Writes the sections of a snapshot to one file. Hashes each section and the file. */
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
