import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib';
import type { SnapshotArtifactName, SnapshotSection } from '../../../protocol/snapshots.js';
import { BoundedStream, ByteBudget } from '../streams/byte-budget.js';
import { DiskBudget } from '../streams/disk-budget.js';
import { LargeWrites, largeWriteBytes, WriteBuffers } from './large-writes.js';
import { readObject } from './object-transfer.js';
import { listLimitBytes } from './workspace-shell.js';

/**
 * Level 1 takes two thirds of the time of level 3, for a tenth more bytes. The window of 2 MiB is
 * that of level 3: it finds copies of files, in the same time.
 */
const compression = {
  chunkSize: largeWriteBytes,
  params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_windowLog]: 21 },
};

/** By default a decompressor returns 16 KiB a call, and each call waits for a thread. */
const decompression = { chunkSize: 256 * 1_024 };

/** Reads the sections of a downloaded snapshot. Verifies the hash of each before it is used. */
export class ArchiveReader {
  private readonly checks = new Map<string, Promise<void>>();

  /**
   * @param paths the file of each object
   * @param limitBytes of the uncompressed content of a section
   */
  constructor(
    private readonly paths: Readonly<Partial<Record<SnapshotArtifactName, string>>>,
    private readonly sections: readonly SnapshotSection[],
    private readonly limitBytes: number,
  ) {}

  /** A list, as a whole. @throws StreamLimit above 64 MiB */
  async read(name: string): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for await (const chunk of await this.open(name, listLimitBytes)) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  }

  has(name: string): boolean {
    return this.sections.some((one) => one.name === name);
  }

  isEmpty(name: string): boolean {
    return this.sizeOf(name) === 0;
  }

  /** Of the compressed content. */
  sizeOf(name: string): number {
    return this.find(name).sizeBytes;
  }

  /** Begins to verify a section that is opened later. */
  verify(name: string): void {
    this.checked(this.find(name)).catch(() => undefined);
  }

  /**
   * The uncompressed content, which fails with StreamLimit above the limit: a few bytes can name
   * terabytes. @throws when the hash differs from the manifest
   */
  async open(name: string, limitBytes = this.limitBytes): Promise<Readable> {
    const section = this.find(name);
    if (section.sizeBytes === 0) return Readable.from([]);
    await this.checked(section);
    const content = new BoundedStream(new ByteBudget(limitBytes, `Section ${name} of the snapshot`));
    const decompressor = createZstdDecompress(decompression);
    pipeline(this.stored(section), decompressor, content).catch((error: Error) => content.destroy(error));
    return content;
  }

  private find(name: string): SnapshotSection {
    const section = this.sections.find((one) => one.name === name);
    if (!section) throw new Error(`The snapshot has no section ${name}`);
    return section;
  }

  /** Each section is read for its hash once. */
  private checked(section: SnapshotSection): Promise<void> {
    const check = this.checks.get(section.name) ?? this.check(section);
    this.checks.set(section.name, check);
    return check;
  }

  private async check(section: SnapshotSection): Promise<void> {
    if (section.sizeBytes === 0) return;
    const hash = createHash('sha256');
    for await (const chunk of this.stored(section)) hash.update(chunk as Buffer);
    if (hash.digest('hex') !== section.sha256)
      throw new Error(`Snapshot section ${section.name} is damaged (hash mismatch)`);
  }

  private stored({ artifact, offset, sizeBytes }: SnapshotSection): Readable {
    const path = this.paths[artifact];
    if (!path) throw new Error(`The snapshot has no object ${artifact}`);
    // `end` is inclusive. An empty section is not read.
    return readObject(path, { start: offset, end: offset + sizeBytes - 1 });
  }
}

interface NewArchive {
  readonly artifact: SnapshotArtifactName;
  readonly path: string;
  /** The largest file. */
  readonly limitBytes: number;
}

/** Writes the sections of one object to a file. Hashes each section and the file. */
export class ArchiveWriter implements AsyncDisposable {
  readonly sections: SnapshotSection[] = [];
  private readonly whole = createHash('sha256');
  private readonly buffers = new WriteBuffers();
  private sizeBytes = 0;

  private constructor(
    private readonly artifact: SnapshotArtifactName,
    private readonly file: FileHandle,
    private readonly disk: DiskBudget,
  ) {}

  /** @throws StreamLimit when the disk is full */
  static async create({ artifact, path, limitBytes }: NewArchive): Promise<ArchiveWriter> {
    const folder = dirname(path);
    const disk = await DiskBudget.open({ folder, limitBytes, source: 'The files of the snapshot' });
    return new ArchiveWriter(artifact, await open(path, 'wx', 0o600), disk);
  }

  /** @throws StreamLimit */
  async add(name: string, content: Readable | Buffer): Promise<void> {
    const offset = this.sizeBytes;
    // The hash of the first section is that of the object so far.
    const hash = offset === 0 ? this.whole : createHash('sha256');
    const compressor = createZstdCompress(compression);
    const source = Buffer.isBuffer(content) ? Readable.from(content.length > 0 ? [content] : []) : content;
    const read = pipeline(source, new LargeWrites(compressor, this.buffers));
    read.catch(() => undefined);
    await pipeline(compressor, async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) {
        // The frame of an empty content is not stored.
        if (compressor.bytesWritten === 0) continue;
        hash.update(chunk);
        await this.disk.take(chunk.length);
        await this.file.appendFile(chunk);
        if (hash !== this.whole) this.whole.update(chunk);
        this.sizeBytes += chunk.length;
      }
    });
    await read;
    const sizeBytes = this.sizeBytes - offset;
    const sha256 = hash.copy().digest('hex');
    this.sections.push({ name, artifact: this.artifact, offset, sizeBytes, sha256 });
  }

  finish(): { readonly sizeBytes: number; readonly sha256: string } {
    return { sizeBytes: this.sizeBytes, sha256: this.whole.digest('hex') };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.file.close();
  }
}
