import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import * as z from 'zod/mini';
import { LaptopError } from '../laptop-error.js';

/** The keys that open the AWS services of this laptop cloud. */
const StoredKeys = z.object({
  accessKeyId: z.string(),
  secretAccessKey: z.string(),
  /** Opens the HTTP and WebSocket APIs, which take unsigned requests, to the front. */
  frontSecret: z.string(),
});
export type Keys = z.infer<typeof StoredKeys>;

/** An emulator and the keys that it takes. */
export interface EmulatorAccess {
  readonly endpoint: string;
  readonly keys: Keys;
}

export const frontSecretHeader = 'x-berth-front';

/** The file of the keys. BERTH_KEYS_FILE names that of an emulator that somebody else runs. */
export const keysFile = (stateDir: string): string =>
  resolve(process.env.BERTH_KEYS_FILE || join(stateDir, 'keys.json'));

/** The keys of a state folder, which the first call makes. */
export function openKeys(stateDir: string): Keys {
  const file = keysFile(stateDir);
  if (!existsSync(file)) write(file, newKeys());
  // A copied file can have other rights.
  chmodSync(file, 0o600);
  try {
    return StoredKeys.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    throw new LaptopError(`${file} holds no keys. Delete it: the next start makes new ones.`);
  }
}

const newKeys = (): Keys => ({
  // Twelve digits would be an account to the emulator.
  accessKeyId: `BERTH${randomBytes(10).toString('hex').toUpperCase()}`,
  secretAccessKey: randomBytes(30).toString('base64url'),
  frontSecret: randomBytes(30).toString('base64url'),
});

function write(file: string, keys: Keys): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(`${file}.new`, JSON.stringify(keys), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
