/** The ASN.1 types that a certificate needs, encoded in DER (X.690). */

export const sequence = (...parts: readonly Uint8Array[]) => element(0x30, ...parts);
export const set = (...parts: readonly Uint8Array[]) => element(0x31, ...parts);
export const octetString = (content: Uint8Array) => element(0x04, content);
export const utf8String = (text: string) => element(0x0c, Buffer.from(text));
export const yes = element(0x01, Uint8Array.of(0xff));

/** Of whole bytes. */
export const bitString = (content: Uint8Array) => element(0x03, Uint8Array.of(0), content);

/** Context-specific tags: explicit wraps a value, implicit replaces its tag. */
export const explicit = (place: number, value: Uint8Array) => element(0xa0 | place, value);
export const implicit = (place: number, content: Uint8Array) => element(0x80 | place, content);

/** The number that these bytes are, the highest first; never negative. */
export function integer(bytes: Uint8Array): Buffer {
  const start = bytes.findIndex((byte) => byte !== 0);
  const shortest = start === -1 ? Uint8Array.of(0) : bytes.subarray(start);
  // A set first bit would make the number negative.
  return element(0x02, ...((shortest[0] ?? 0) >= 0x80 ? [Uint8Array.of(0)] : []), shortest);
}

/** From the dotted form, such as `2.5.29.17`. */
export function objectIdentifier(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  return element(0x06, Uint8Array.from([first * 40 + second, ...rest].flatMap(inSevens)));
}

/** RFC 5280 requires UTCTime before 2050, and GeneralizedTime from then on. */
export function time(date: Date): Buffer {
  const digits = `${date.toISOString().replaceAll(/\D/g, '').slice(0, 14)}Z`;
  return date.getUTCFullYear() < 2050
    ? element(0x17, Buffer.from(digits.slice(2)))
    : element(0x18, Buffer.from(digits));
}

function element(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Uint8Array.of(tag, ...lengthOf(content.length)), content]);
}

function lengthOf(length: number): readonly number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest >>>= 8) bytes.unshift(rest & 0xff);
  return [0x80 | bytes.length, ...bytes];
}

/** Seven bits a byte, the highest first; all but the last are marked. */
function inSevens(number: number): readonly number[] {
  const bytes = [number & 0x7f];
  for (let rest = number >>> 7; rest > 0; rest >>>= 7) bytes.unshift(0x80 | (rest & 0x7f));
  return bytes;
}
