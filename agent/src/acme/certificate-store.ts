import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { writeFileAtomic } from '../files/local-disk.js';
import type { NodeCertificate } from '../node/certificate.js';

/** The last attempt for an address; a success or another address removes it. */
const Attempt = z.object({
  address: z.string(),
  /** Attempts in a row without a certificate. */
  failures: z.int(),
  nextAttemptAt: z.iso.datetime(),
  reason: z.string(),
});
export type Attempt = z.infer<typeof Attempt>;

const Issued = z.object({ certificatePem: z.string(), keyPem: z.string() });

/** The files of the issued certificate, readable by the agent's user only. Each write is atomic. */
export class CertificateStore {
  constructor(private readonly folder: string) {}

  /** The key of the ACME account, made at the first use. */
  async accountKey(): Promise<KeyObject> {
    const file = join(this.folder, 'acme-account.key');
    const saved = await readFile(file, 'utf8').then(createPrivateKey, () => null);
    if (saved) return saved;
    const made = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    await writeFileAtomic(file, made.export({ type: 'pkcs8', format: 'pem' }).toString());
    return made;
  }

  issued(): Promise<NodeCertificate | null> {
    return this.read('issued.json', Issued);
  }

  /** Key and certificate are one file: after a crash both are the former ones or the new ones. */
  async saveIssued(certificate: NodeCertificate): Promise<void> {
    const { certificatePem, keyPem } = certificate;
    await this.write('issued.json', { certificatePem, keyPem });
  }

  attempt(): Promise<Attempt | null> {
    return this.read('acme-attempt.json', Attempt);
  }

  async saveAttempt(attempt: Attempt | null): Promise<void> {
    await this.write('acme-attempt.json', attempt);
  }

  private write(name: string, value: unknown): Promise<void> {
    return writeFileAtomic(join(this.folder, name), JSON.stringify(value));
  }

  private async read<Schema extends z.ZodMiniType>(
    name: string,
    schema: Schema,
  ): Promise<z.infer<Schema> | null> {
    try {
      return schema.parse(JSON.parse(await readFile(join(this.folder, name), 'utf8')));
    } catch {
      return null;
    }
  }
}
