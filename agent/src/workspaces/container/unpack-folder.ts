import { constants } from 'node:fs';
import { chmod, type FileHandle, link, lstat, mkdir, open, symlink } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { type Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { extract, type Headers } from 'tar-stream';
import type { DiskBudget } from '../../streams/disk-budget.js';
import { DockerError } from './docker-errors.js';

/** An entry without content takes a block of the disk too. */
const blockBytes = 4_096;
const zeros = Buffer.alloc(1_024 * 1_024);
const newFile = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_NOFOLLOW;

/**
 * Unpacks a folder that the engine sends as tar into an empty folder, owned by the agent. Takes
 * plain files, folders and links, with permissions but neither set-id nor sticky bits. Zeros become
 * holes again, but count as much as other bytes.
 * @throws StreamLimit when the files exceed the budget
 */
export async function unpackFolder(
  archive: NodeJS.ReadableStream,
  to: string,
  budget: DiskBudget,
): Promise<void> {
  const folder = new NewFolder(to, budget);
  const entries = extract();
  entries.on('entry', (header, content, next) => {
    folder.add(header, content).then(() => next(), next);
  });
  await pipeline(archive, entries);
}

class NewFolder {
  /** No link is among them, so that a path below one stays in the folder. */
  private readonly folders = new Set(['']);

  constructor(
    private readonly root: string,
    private readonly budget: DiskBudget,
  ) {}

  async add(header: Headers, content: Readable): Promise<void> {
    const { type, size = 0, linkname } = header;
    await this.budget.take(blockBytes + Math.ceil(size / blockBytes) * blockBytes);
    const path = withoutFirst(header.name);
    if (path === '') return void content.resume();
    const place = this.place(path);
    if (type === 'file') return writeFile(place, header, content);
    content.resume();
    if (type === 'directory') await this.addFolder(path, header);
    else if (type === 'symlink' && linkname) await symlink(linkname, place);
    else if (type === 'link' && linkname) await this.addLink(withoutFirst(linkname), place);
  }

  private async addFolder(path: string, header: Headers): Promise<void> {
    const place = this.place(path);
    await mkdir(place, { mode: 0o700 });
    await chmod(place, permissionsOf(header) | 0o700);
    this.folders.add(path);
  }

  /** The engine sends a file with several names once. */
  private async addLink(target: string, place: string): Promise<void> {
    const source = this.place(target);
    if ((await lstat(source)).isFile()) await link(source, place);
  }

  /** @throws DockerError when the folder of the path was not sent before */
  private place(path: string): string {
    const { dir, base } = posix.parse(path);
    if (this.folders.has(dir) && base !== '..' && base !== '.') return join(this.root, path);
    throw new DockerError('The files could not be unpacked: a path leads out of the folder');
  }
}

/** The engine puts the name of the folder before each path, and a slash after that of a folder. */
const withoutFirst = (name: string): string => name.replace(/\/+$/, '').replace(/^[^/]*\/?/, '');

const permissionsOf = ({ mode = 0 }: Headers): number => mode & 0o777;

async function writeFile(place: string, header: Headers, content: Readable): Promise<void> {
  await using file = await open(place, newFile, 0o600);
  const writer = new HoleWriter(file);
  await pipeline(content, writer);
  await file.truncate(writer.position);
  const { mtime = new Date() } = header;
  await Promise.all([file.chmod(permissionsOf(header)), file.utimes(mtime, mtime)]);
}

/** Skips pieces that are only zeros. */
class HoleWriter extends Writable {
  position = 0;

  constructor(private readonly file: FileHandle) {
    super();
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
    const { position } = this;
    this.position += chunk.length;
    if (isZero(chunk)) done();
    else this.file.write(chunk, 0, chunk.length, position).then(() => done(), done);
  }
}

const isZero = (chunk: Buffer): boolean =>
  chunk.length <= zeros.length && zeros.subarray(0, chunk.length).equals(chunk);
