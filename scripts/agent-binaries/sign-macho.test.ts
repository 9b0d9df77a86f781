import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { signMacho } from './sign-macho.js';

/**
 * The smallest file that has what is looked at: __TEXT with one section from `content` on, and
 * __LINKEDIT.
 */
function machO({ content = 4_096, length = 10_001, extra = Buffer.alloc(0) } = {}): Buffer {
  const file = Buffer.alloc(length, 7);
  const commands = Buffer.concat([
    segment('__TEXT', 0, 8_192, content),
    segment('__LINKEDIT', 8_192, length - 8_192),
    extra,
  ]);
  const header = Buffer.alloc(32);
  for (const [index, value] of [
    0xfeedfacf,
    0x0100000c,
    0,
    2,
    extra.length > 0 ? 3 : 2,
    commands.length,
  ].entries())
    header.writeUInt32LE(value, index * 4);
  Buffer.concat([header, commands]).copy(file);
  return file;
}

function segment(name: string, offset: number, size: number, section?: number): Buffer {
  const command = Buffer.alloc(section === undefined ? 72 : 152);
  command.writeUInt32LE(0x19, 0);
  command.writeUInt32LE(command.length, 4);
  command.write(name, 8);
  command.writeBigUInt64LE(BigInt(offset), 40);
  command.writeBigUInt64LE(BigInt(size), 48);
  if (section !== undefined) {
    command.writeUInt32LE(1, 64);
    command.writeUInt32LE(section, 72 + 48);
  }
  return command;
}

/** Where the third load command of a signed file points. */
const signatureOf = (file: Buffer) => file.subarray(file.readUInt32LE(32 + 152 + 72 + 8));

it('adds a code directory that has the hash of every page, the new load command included', () => {
  const signed = signMacho(machO(), 'vm-agent');

  const directory = signatureOf(signed).subarray(20);
  expect(signatureOf(signed).readUInt32BE(0)).toBe(0xfade0cc0);
  expect(directory.readUInt32BE(0)).toBe(0xfade0c02);
  expect(directory.readUInt32BE(28)).toBe(3);
  const codeLimit = directory.readUInt32BE(32);
  expect(codeLimit).toBe(10_016);
  const hashes = directory.readUInt32BE(16);
  for (const page of [0, 1, 2]) {
    const content = signed.subarray(page * 4_096, Math.min((page + 1) * 4_096, codeLimit));
    const hash = directory.subarray(hashes + page * 32, hashes + (page + 1) * 32);
    expect(hash.toString('hex')).toBe(createHash('sha256').update(content).digest('hex'));
  }
  expect(directory.toString('latin1', directory.readUInt32BE(20)).startsWith('vm-agent\0')).toBe(true);
});

it('ends the file, and its last segment, with the signature', () => {
  const signed = signMacho(machO(), 'vm-agent');

  expect(signed.readUInt32LE(16)).toBe(3);
  expect(Number(signed.readBigUInt64LE(32 + 152 + 48)) + 8_192).toBe(signed.length);
  expect(signatureOf(signed).readUInt32BE(4)).toBe(signatureOf(signed).length);
});

it('is the same every time', () => {
  expect(signMacho(machO(), 'vm-agent').equals(signMacho(machO(), 'vm-agent'))).toBe(true);
});

it.each([
  ['another kind of file', Buffer.from('\x7fELF'.padEnd(64)), 'no Mach-O file'],
  ['one without room for the command', machO({ content: 32 + 152 + 72 + 15 }), 'no room'],
  [
    'one that goes on after its last segment',
    Buffer.concat([machO(), Buffer.alloc(8)]),
    'does not end the file',
  ],
  [
    'one that is signed',
    machO({ extra: Buffer.from('1d000000100000000000000000000000', 'hex') }),
    'signed already',
  ],
])('refuses %s', (_, file, message) => {
  expect(() => signMacho(file, 'vm-agent')).toThrow(message);
});
