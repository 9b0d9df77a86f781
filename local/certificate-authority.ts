import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as x509 from '@peculiar/x509';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const dayMs = 24 * 60 * 60 * 1000;

export interface ServerCertificate {
  readonly certificatePem: string;
  readonly keyPem: string;
}

/**
 * The authority that signs the certificates of laptop nodes. Each state folder has its
 * own, whose key stays in the folder. Only this cloud's front trusts it.
 */
export class CertificateAuthority {
  private constructor(
    readonly certificatePem: string,
    private readonly certificate: x509.X509Certificate,
    private readonly key: webcrypto.CryptoKey,
  ) {}

  static async open(folder: string): Promise<CertificateAuthority> {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const certificateFile = join(folder, 'ca.pem');
    const keyFile = join(folder, 'ca.key');
    if (!existsSync(certificateFile) || !existsSync(keyFile)) await create(certificateFile, keyFile);
    const certificatePem = readFileSync(certificateFile, 'utf8');
    const certificate = new x509.X509Certificate(certificatePem);
    const key = await webcrypto.subtle.importKey(
      'pkcs8',
      x509.PemConverter.decodeFirst(readFileSync(keyFile, 'utf8')),
      algorithm,
      false,
      ['sign'],
    );
    return new CertificateAuthority(certificatePem, certificate, key);
  }

  /** A certificate for the loopback address and these names, good for a year. */
  async issue(names: readonly string[]): Promise<ServerCertificate> {
    const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
    const certificate = await x509.X509CertificateGenerator.create({
      serialNumber: serialNumber(),
      subject: `CN=${names[0] ?? 'localhost'}`,
      issuer: this.certificate.subject,
      notBefore: new Date(Date.now() - dayMs),
      notAfter: new Date(Date.now() + 365 * dayMs),
      signingAlgorithm: algorithm,
      publicKey: keys.publicKey,
      signingKey: this.key,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
        new x509.SubjectAlternativeNameExtension([
          { type: 'ip', value: '127.0.0.1' },
          ...['localhost', ...names].map((value) => ({ type: 'dns' as const, value })),
        ]),
      ],
    });
    return { certificatePem: certificate.toString('pem'), keyPem: await pkcs8Pem(keys.privateKey) };
  }
}

async function create(certificateFile: string, keyFile: string): Promise<void> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: 'CN=Berth laptop authority',
    notBefore: new Date(Date.now() - dayMs),
    notAfter: new Date(Date.now() + 10 * 365 * dayMs),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
    ],
  });
  writeFileSync(keyFile, await pkcs8Pem(keys.privateKey), { mode: 0o600 });
  writeFileSync(certificateFile, certificate.toString('pem'));
}

async function pkcs8Pem(key: webcrypto.CryptoKey): Promise<string> {
  return x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY');
}

/** Positive and random, as two certificates of one authority must never share it. */
function serialNumber(): string {
  const bytes = webcrypto.getRandomValues(new Uint8Array(16));
  return `01${Buffer.from(bytes).toString('hex')}`;
}
