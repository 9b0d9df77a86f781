import { crc32, deflateRawSync } from 'node:zlib';

/** A zip archive of these files, as Lambda takes code. */
export function zip(files: ReadonlyMap<string, Buffer>): Buffer {
  const entries: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of files) {
    const { local, central } = entryOf(name, content, offset);
    entries.push(local);
    directory.push(central);
    offset += local.length;
  }
  const index = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(files.size, 8);
  end.writeUInt16LE(files.size, 10);
  end.writeUInt32LE(index.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...entries, index, end]);
}

function entryOf(name: string, content: Buffer, offset: number): { local: Buffer; central: Buffer } {
  const data = deflateRawSync(content, { level: 1 });
  // Version 2.0, no flags, deflate, 1 January 1980; then checksum, sizes and the lengths of the
  // name and the extra field.
  const common = Buffer.alloc(26);
  common.writeUInt16LE(20, 0);
  common.writeUInt16LE(8, 4);
  common.writeUInt16LE(0x21, 8);
  common.writeUInt32LE(crc32(content), 10);
  common.writeUInt32LE(data.length, 14);
  common.writeUInt32LE(content.length, 18);
  common.writeUInt16LE(Buffer.byteLength(name), 22);
  const path = Buffer.from(name);
  const tail = Buffer.alloc(14);
  // A regular file that everybody may read.
  tail.writeUInt32LE(0o100644 * 0x10000, 6);
  tail.writeUInt32LE(offset, 10);
  return {
    local: Buffer.concat([Buffer.from('PK\x03\x04'), common, path, data]),
    central: Buffer.concat([Buffer.from('PK\x01\x02\x14\x03', 'latin1'), common, tail, path]),
  };
}
