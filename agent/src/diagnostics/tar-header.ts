/** The header of a plain file in a tar archive, as POSIX ustar. */
export function tarHeader(name: string, size: number): Buffer {
  const block = Buffer.alloc(512);
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`;
  block.write(name.slice(0, 99), 0);
  block.write(octal(0o600, 7) + octal(0, 7) + octal(0, 7), 100);
  block.write(octal(size, 11) + octal(Math.floor(Date.now() / 1_000), 11), 124);
  block.write(' '.repeat(8), 148);
  block.write('0', 156);
  block.write('ustar\x0000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

/** Padding of the last block of a file of this size. */
export function tarPadding(size: number): Buffer {
  return Buffer.alloc((512 - (size % 512)) % 512);
}
