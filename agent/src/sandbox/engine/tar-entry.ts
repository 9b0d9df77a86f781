export const blockBytes = 512;
const plainFile = { name: 'Dockerfile', mode: 0o644 };
/** Entries that are neither files nor folders must have no content. */
const emptyTypes = '123456';

export class ArchiveRefused extends Error {}

interface TarEntry {
  readonly name: string;
  readonly type: string;
  readonly bytes: number;
}

/**
 * The fields of a header. Accepts what the docker command writes and nothing that readers of
 * archives understand differently. @throws ArchiveRefused
 */
export function readHeader(header: Buffer): TarEntry {
  const type = header.toString('latin1', 156, 157);
  const size = /^([0-7]{1,11})[ \0]*$/.exec(header.toString('latin1', 124, 136))?.[1];
  if (size === undefined || !`0xLK${emptyTypes}`.includes(type)) throw refused();
  const bytes = Number.parseInt(size, 8);
  if (emptyTypes.includes(type) && bytes > 0) throw refused();
  const prefix = header.toString('latin1', 257, 263) === 'ustar\0' ? textOf(header, 345, 500) : '';
  const name = textOf(header, 0, 100);
  return { name: prefix ? `${prefix}/${name}` : name, type, bytes };
}

function textOf(header: Buffer, from: number, to: number): string {
  const field = header.subarray(from, to);
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end < 0 ? field.length : end);
}

/** The path of an extended header; null: it has none. @throws ArchiveRefused */
export function readPath({ type }: TarEntry, content: Buffer): string | null {
  if (type === 'K') return null;
  if (type === 'L') return textOf(content, 0, content.length);
  const records = content.toString('utf8');
  // The size of the next entry must be the one of its header.
  if (/(?:^|\n)\d+ (?:size|GNU\.sparse\.[^=]*)=/.test(records)) throw refused();
  return [...records.matchAll(/(?:^|\n)\d+ path=([^\n]*)/g)].at(-1)?.[1] ?? null;
}

/** A complete archive entry for a file, whatever its path. */
export function* writeFile(path: string, content: Buffer): Generator<Buffer> {
  const records = Buffer.from(pathRecord(path));
  yield* [writeHeader('x', records.length), padded(records)];
  yield* [writeHeader('0', content.length), padded(content)];
}

/** An archive entry for its root folder. */
export function writeRoot(): Buffer {
  return writeHeader('5', 0, { name: './', mode: 0o755 });
}

/** `<length of the record> path=<path>\n` */
function pathRecord(path: string): string {
  const rest = ` path=${path}\n`;
  const bytes = Buffer.byteLength(rest);
  const digits = String(bytes + String(bytes).length).length;
  return `${bytes + digits}${rest}`;
}

function writeHeader(type: string, bytes: number, { name, mode } = plainFile): Buffer {
  const header = Buffer.alloc(blockBytes);
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`;
  const fields: readonly (readonly [number, string])[] = [
    [0, name],
    [100, octal(mode, 7)],
    [108, octal(0, 7)],
    [116, octal(0, 7)],
    [124, octal(bytes, 11)],
    [136, octal(0, 11)],
    [148, ' '.repeat(8)],
    [156, type],
    [257, 'ustar\x0000'],
  ];
  for (const [at, text] of fields) header.write(text, at, 'latin1');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 6)} `, 148, 'latin1');
  return header;
}

/** With the zeros up to the next block. */
function padded(content: Buffer): Buffer {
  return Buffer.concat([content, Buffer.alloc(paddingOf(content.length))]);
}

export function paddingOf(bytes: number): number {
  return (blockBytes - (bytes % blockBytes)) % blockBytes;
}

function refused(): ArchiveRefused {
  return new ArchiveRefused('the build context is not an archive of the docker command');
}
