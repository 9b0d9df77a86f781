import { posix } from 'node:path';
import type { Readable } from 'node:stream';
import { ArchiveBytes } from './archive-bytes.js';
import { withoutFrontend } from './dockerfile-frontend.js';
import { ArchiveRefused, blockBytes, paddingOf, readHeader, readPath, writeFile } from './tar-entry.js';

/** The largest Dockerfile, and the largest extended header. */
const maxBytes = 1024 ** 2;

interface CheckedContextOptions {
  /** Path of the Dockerfile in the context. */
  readonly dockerfile: string;
  /** Throws to refuse the build. */
  readonly check: (text: string) => Promise<unknown>;
}

/**
 * The archive of a build context with its Dockerfile at the end: the engine unpacks the text that
 * `check` has seen over everything that the archive had under this name. Fails before the
 * Dockerfile when it is refused, so that nothing can be built.
 * @throws ArchiveRefused, and what `check` throws
 */
export async function* checkedContext(
  context: Readable,
  { dockerfile, check }: CheckedContextOptions,
): AsyncGenerator<Buffer> {
  const path = posix.normalize(dockerfile);
  const bytes = new ArchiveBytes(context);
  let text: Buffer | null = null;
  for (let entry = await nextEntry(bytes); entry !== null; entry = await nextEntry(bytes)) {
    if (entry.type === '0' && posix.normalize(entry.name) === path)
      text = await contentOf(bytes, entry.bytes);
    else {
      yield* entry.headers;
      yield* bytes.pass(entry.bytes);
      await bytes.skip(paddingOf(entry.bytes));
      yield Buffer.alloc(paddingOf(entry.bytes));
    }
  }
  await bytes.end();
  if (text === null) throw new ArchiveRefused(`the context has no Dockerfile ${path.slice(0, 100)}`);
  const dockerfileText = withoutFrontend(text.toString('utf8'));
  await check(dockerfileText);
  yield* writeFile(path, Buffer.from(dockerfileText));
  yield Buffer.alloc(2 * blockBytes);
}

/** The next entry with its extended headers; null at the end of the archive. */
async function nextEntry(bytes: ArchiveBytes) {
  const headers: Buffer[] = [];
  let longName: string | null = null;
  for (let header = await nextHeader(bytes); header !== null; header = await nextHeader(bytes)) {
    const entry = readHeader(header);
    headers.push(header);
    if (!'xLK'.includes(entry.type)) return { ...entry, name: longName ?? entry.name, headers };
    const content = await contentOf(bytes, entry.bytes);
    longName = readPath(entry, content) ?? longName;
    headers.push(content, Buffer.alloc(paddingOf(entry.bytes)));
  }
  return null;
}

/** Null at the end. The docker command ends some archives without blocks of zeros. */
async function nextHeader(bytes: ArchiveBytes): Promise<Buffer | null> {
  if (await bytes.isAtEnd()) return null;
  const header = await bytes.take(blockBytes);
  return header.every((byte) => byte === 0) ? null : header;
}

async function contentOf(bytes: ArchiveBytes, count: number): Promise<Buffer> {
  if (count > maxBytes)
    throw new ArchiveRefused(`the Dockerfile or a path is larger than ${maxBytes / 1024} KB`);
  const content = await bytes.take(count);
  await bytes.skip(paddingOf(count));
  return content;
}
