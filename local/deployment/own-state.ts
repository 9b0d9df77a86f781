import { createPrivateKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import type { LaptopPorts } from '../laptop-ports.js';

/** The files of a saved emulator: name to text. */
export type StateFiles = ReadonlyMap<string, string>;

/** The addresses of `own` in place of those of `former`. */
export function withPorts(files: StateFiles, former: LaptopPorts, own: LaptopPorts): StateFiles {
  const ports = new Map(
    (['front', 'emulator', 'ec2', 'codeHost'] as const).map((name) => [
      String(former[name]),
      String(own[name]),
    ]),
  );
  const address = new RegExp(`(localhost|127\\.0\\.0\\.1):(${[...ports.keys()].join('|')})(?!\\d)`, 'g');
  return mapTexts(files, (text) =>
    text.replace(address, (_all, host: string, port: string) => `${host}:${ports.get(port)}`),
  );
}

/**
 * Other random texts in place of the secrets that the deployment generated, also where a function
 * or a parameter has their value.
 */
export function withFreshSecrets(files: StateFiles): StateFiles {
  const fresh = new Map<string, string>();
  const values = files.get('secretsmanager.json')?.matchAll(/"SecretString": "((?:[^"\\]|\\.)*)"/g) ?? [];
  for (const [, value = ''] of values)
    for (const [secret] of value.matchAll(/[A-Za-z0-9]{32,}/g)) fresh.set(secret, randomText(secret.length));
  if (fresh.size === 0) return files;
  const secrets = new RegExp([...fresh.keys()].join('|'), 'g');
  return mapTexts(files, (text) => text.replace(secrets, (secret) => fresh.get(secret) ?? secret));
}

const Material = z.looseObject({
  _symmetric_key_b64: z.optional(z.string()),
  _private_key_pem: z.optional(z.string()),
  _public_key_der_b64: z.optional(z.string()),
});

/** Other keys in place of those in KMS, under the same ids. Nothing is encrypted with them yet. */
export function withFreshKeys(files: StateFiles): StateFiles {
  const text = files.get('kms.json');
  if (text === undefined) return files;
  const state = JSON.parse(text, (_name, value) => {
    const material = Material.safeParse(value);
    return material.success && !Array.isArray(value)
      ? { ...material.data, ...freshMaterial(material.data) }
      : value;
  });
  return new Map([...files, ['kms.json', JSON.stringify(state)]]);
}

function freshMaterial({ _symmetric_key_b64, _private_key_pem }: z.infer<typeof Material>) {
  if (_symmetric_key_b64 !== undefined) return { _symmetric_key_b64: randomBytes(32).toString('base64') };
  if (_private_key_pem === undefined) return {};
  const former = createPrivateKey(Buffer.from(_private_key_pem, 'base64'));
  if (former.asymmetricKeyType !== 'ed25519')
    throw new Error(`A KMS key of the type ${former.asymmetricKeyType} cannot be replaced`);
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return {
    _private_key_pem: base64(privateKey.export({ type: 'pkcs8', format: 'pem' })),
    _public_key_der_b64: base64(publicKey.export({ type: 'spki', format: 'der' })),
  };
}

const base64 = (bytes: string | Buffer): string => Buffer.from(bytes).toString('base64');

function randomText(length: number): string {
  const text = randomBytes(length * 2)
    .toString('base64')
    .replaceAll(/[+/=]/g, '');
  return text.slice(0, length);
}

const mapTexts = (files: StateFiles, change: (text: string) => string): StateFiles =>
  new Map([...files].map(([name, text]) => [name, change(text)]));
