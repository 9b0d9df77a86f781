import { createHash } from 'node:crypto';

const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** A ULID that the same names always have, for what is made once however often it is repeated. */
export function derivedId(...names: readonly string[]): string {
  const hash = createHash('sha256').update(names.join('\0')).digest();
  const [first = 0, ...rest] = hash.subarray(0, 26);
  // 26 digits hold 130 bits, and a ULID has 128.
  return [first % 8, ...rest.map((byte) => byte % digits.length)].map((value) => digits[value]).join('');
}
