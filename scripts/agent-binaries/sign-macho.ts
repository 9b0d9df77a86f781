import { createHash } from 'node:crypto';

const magic64 = 0xfeedfacf;
const segmentCommand = 0x19;
const signatureCommand = 0x1d;
const headerBytes = 32;
const signatureCommandBytes = 16;
const pageBytes = 4_096;
const hashBytes = 32;

interface Segment {
  readonly at: number;
  readonly name: string;
  readonly fileOffset: number;
  readonly fileSize: number;
}

/**
 * Signs a Mach-O executable for 64 bits ad hoc: by nobody, but so that Apple's processors take it,
 * which start nothing unsigned. Packing the agent into the runtime has made the runtime's own
 * signature void and removed it. The form is that of Apple's linker: one code directory with a
 * SHA-256 hash of each page.
 * @throws when the file is another kind, is signed already, or has no room for the command
 */
export function signMacho(file: Buffer, identifier: string): Buffer {
  if (file.readUInt32LE(0) !== magic64) throw new Error('This is no Mach-O file for 64 bits');
  const commands = readCommands(file);
  if (commands.hasSignature) throw new Error('The file is signed already');
  const text = segment(commands.segments, '__TEXT');
  const linkEdit = segment(commands.segments, '__LINKEDIT');
  if (linkEdit.fileOffset + linkEdit.fileSize !== file.length)
    throw new Error('__LINKEDIT does not end the file');

  const codeLimit = Math.ceil(file.length / 16) * 16;
  const size = signatureSize(codeLimit, identifier);
  const signed = Buffer.alloc(codeLimit + size);
  file.copy(signed);
  addCommand(signed, { codeLimit, size, end: commands.end, firstContent: firstContent(file, text) });
  grow(signed, linkEdit, codeLimit + size - linkEdit.fileOffset);
  writeSignature(signed, { codeLimit, identifier, text });
  return signed;
}

function readCommands(file: Buffer) {
  const segments: Segment[] = [];
  let hasSignature = false;
  let at = headerBytes;
  for (let left = file.readUInt32LE(16); left > 0; left -= 1) {
    const kind = file.readUInt32LE(at);
    if (kind === signatureCommand) hasSignature = true;
    if (kind === segmentCommand) segments.push(readSegment(file, at));
    at += file.readUInt32LE(at + 4);
  }
  return { segments, hasSignature, end: at };
}

function readSegment(file: Buffer, at: number): Segment {
  const name = file.toString('latin1', at + 8, at + 24).replace(/\0+$/, '');
  const fileOffset = Number(file.readBigUInt64LE(at + 40));
  return { at, name, fileOffset, fileSize: Number(file.readBigUInt64LE(at + 48)) };
}

function segment(segments: readonly Segment[], name: string): Segment {
  const found = segments.find((one) => one.name === name);
  if (!found) throw new Error(`The file has no segment ${name}`);
  return found;
}

/** Where the load commands must end: at the first section of __TEXT. */
function firstContent(file: Buffer, { at }: Segment): number {
  const sections = file.readUInt32LE(at + 64);
  const offsets = Array.from({ length: sections }, (_, index) =>
    file.readUInt32LE(at + 72 + index * 80 + 48),
  );
  return Math.min(...offsets.filter((offset) => offset > 0));
}

function addCommand(
  file: Buffer,
  {
    codeLimit,
    size,
    end,
    firstContent,
  }: Readonly<Record<'codeLimit' | 'size' | 'end' | 'firstContent', number>>,
): void {
  if (end + signatureCommandBytes > firstContent) throw new Error('There is no room for a signature');
  for (const [index, value] of [signatureCommand, signatureCommandBytes, codeLimit, size].entries())
    file.writeUInt32LE(value, end + index * 4);
  file.writeUInt32LE(file.readUInt32LE(16) + 1, 16);
  file.writeUInt32LE(file.readUInt32LE(20) + signatureCommandBytes, 20);
}

/** The segment takes in the signature; in memory it ends with a page, of Apple's larger kind. */
function grow(file: Buffer, { at }: Segment, fileSize: number): void {
  const page = 16_384n;
  file.writeBigUInt64LE(((BigInt(fileSize) + page - 1n) / page) * page, at + 32);
  file.writeBigUInt64LE(BigInt(fileSize), at + 48);
}

const superBlobBytes = 20;
const directoryBytes = 88;

const hashesOffset = (identifier: string): number => directoryBytes + identifier.length + 1;
const signatureSize = (codeLimit: number, identifier: string): number =>
  superBlobBytes + hashesOffset(identifier) + Math.ceil(codeLimit / pageBytes) * hashBytes;

/** All of it is in the order of bytes of networks, unlike the rest of the file. */
function writeSignature(
  file: Buffer,
  {
    codeLimit,
    identifier,
    text,
  }: { readonly codeLimit: number; readonly identifier: string; readonly text: Segment },
): void {
  const pages = Math.ceil(codeLimit / pageBytes);
  const blob = file.subarray(codeLimit);
  const directory = blob.subarray(superBlobBytes);
  // One blob in it, the code directory (0).
  write32(blob, [0xfade0cc0, blob.length, 1, 0, superBlobBytes]);
  const adHocByLinker = 0x20002;
  const version = 0x20400;
  const hashes = hashesOffset(identifier);
  write32(directory, [
    0xfade0c02,
    directory.length,
    version,
    adHocByLinker,
    hashes,
    directoryBytes,
    0,
    pages,
    codeLimit,
  ]);
  // Size and kind of hash (SHA-256), platform, and the page's size as a power of two.
  directory.set([hashBytes, 2, 0, Math.log2(pageBytes)], 36);
  directory.writeBigUInt64BE(BigInt(text.fileOffset), 64);
  directory.writeBigUInt64BE(BigInt(text.fileSize), 72);
  const isMainBinary = 1n;
  directory.writeBigUInt64BE(isMainBinary, 80);
  directory.write(identifier, directoryBytes, 'latin1');
  for (let page = 0; page < pages; page += 1) {
    const content = file.subarray(page * pageBytes, Math.min((page + 1) * pageBytes, codeLimit));
    directory.set(createHash('sha256').update(content).digest(), hashes + page * hashBytes);
  }
}

function write32(target: Buffer, values: readonly number[]): void {
  for (const [index, value] of values.entries()) target.writeUInt32BE(value, index * 4);
}
