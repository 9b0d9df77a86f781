import { createCipheriv, createECDH, type ECDH, hkdfSync, randomBytes } from 'node:crypto';

/** Of a subscription: the browser's public key and its secret. */
export interface PushKeys {
  readonly p256dh: Uint8Array;
  readonly auth: Uint8Array;
}

/** New for each message; a test takes those of the RFC. */
interface Ephemeral {
  readonly salt: Uint8Array;
  readonly key: ECDH;
}

/** One record holds the whole message. */
const recordSize = 4_096;
/** Ends the last record. */
const lastRecord = Buffer.from([2]);

interface Derived {
  readonly salt: Uint8Array;
  readonly info: Uint8Array | string;
  readonly length: number;
}

const hkdf = (key: Uint8Array, { salt, info, length }: Derived): Buffer =>
  Buffer.from(hkdfSync('sha256', key, salt, info, length));

/**
 * The body of a push message: RFC 8291 with the content coding `aes128gcm` of RFC 8188.
 *
 * @throws {Error} `p256dh` is no point of the curve
 */
export function encryptPush(
  plaintext: Uint8Array,
  { p256dh, auth }: PushKeys,
  { salt, key }: Ephemeral = newEphemeral(),
): Buffer {
  const own = key.getPublicKey();
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), p256dh, own]);
  const input = hkdf(key.computeSecret(p256dh), { salt: auth, info, length: 32 });
  const contentKey = hkdf(input, { salt, info: 'Content-Encoding: aes128gcm\0', length: 16 });
  const nonce = hkdf(input, { salt, info: 'Content-Encoding: nonce\0', length: 12 });
  const cipher = createCipheriv('aes-128-gcm', contentKey, nonce);
  const sizes = Buffer.alloc(5);
  sizes.writeUInt32BE(recordSize);
  sizes.writeUInt8(own.length, 4);
  const sealed = [cipher.update(plaintext), cipher.update(lastRecord), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat([salt, sizes, own, ...sealed]);
}

function newEphemeral(): Ephemeral {
  const key = createECDH('prime256v1');
  key.generateKeys();
  return { salt: randomBytes(16), key };
}
