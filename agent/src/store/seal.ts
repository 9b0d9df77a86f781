import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';

const algorithm = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/**
 * Encrypts secrets for the state database. The key is a file of this node, so a copy of the
 * database alone has no readable secret. Each text is bound to its owner: it opens for no other.
 */
export class Seal {
  private constructor(private readonly key: Buffer) {}

  /** Reads the key file, or creates it, readable by the agent's user only. */
  static load(path: string): Seal {
    if (!existsSync(path)) createKey(path);
    const key = readFileSync(path);
    if (key.length !== keyBytes)
      throw new Error(
        `${path} must have ${keyBytes} bytes and has ${key.length}. Remove it to create a new key.`,
      );
    return new Seal(key);
  }

  close(text: string, owner: string): string {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv(algorithm, this.key, nonce).setAAD(Buffer.from(owner));
    const sealed = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()];
    return Buffer.concat(sealed).toString('base64');
  }

  /** Null when the text was sealed with another key or for another owner, or has changed. */
  open(sealed: string, owner: string): string | null {
    const bytes = Buffer.from(sealed, 'base64');
    if (bytes.length < nonceBytes + tagBytes) return null;
    const decipher = createDecipheriv(algorithm, this.key, bytes.subarray(0, nonceBytes))
      .setAAD(Buffer.from(owner))
      .setAuthTag(bytes.subarray(-tagBytes));
    try {
      const text = decipher.update(bytes.subarray(nonceBytes, -tagBytes));
      return Buffer.concat([text, decipher.final()]).toString('utf8');
    } catch {
      return null;
    }
  }
}

/** Complete or absent after a crash. */
function createKey(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${randomBytes(6).toString('hex')}`;
  const file = openSync(temporary, 'wx', 0o600);
  try {
    writeSync(file, randomBytes(keyBytes));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, path);
}
