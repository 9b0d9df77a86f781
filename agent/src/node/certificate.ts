import 'reflect-metadata';
import { webcrypto, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import * as x509 from '@peculiar/x509';
import { ConfigError } from '../config/config-error.js';
import { writeFileAtomic } from '../files/write-file-atomic.js';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const dayMs = 24 * 60 * 60 * 1_000;
const lifetimeDays = 3_650;

export interface NodeCertificate {
  readonly certificatePem: string;
  readonly keyPem: string;
}

/** The operator's certificate, or else one of the node's own that it keeps over restarts. */
export async function loadCertificate(options: {
  readonly tls: { readonly certPath: string; readonly keyPath: string } | null;
  readonly own: { readonly certPath: string; readonly keyPath: string };
  readonly nodeId: string;
}): Promise<NodeCertificate> {
  const { tls, own, nodeId } = options;
  if (tls) return readPair(tls).catch((cause) => Promise.reject(unreadable(tls, cause)));
  const saved = await readPair(own).catch(() => null);
  if (saved && isGood(saved)) return saved;
  const made = await makeCertificate(nodeId);
  // The key first: a certificate without its key would look whole.
  await writeFileAtomic(own.keyPath, made.keyPem);
  await writeFileAtomic(own.certPath, made.certificatePem);
  return made;
}

function unreadable({ certPath, keyPath }: { certPath: string; keyPath: string }, cause: unknown) {
  return new ConfigError(`TLS_CERT_PATH and TLS_KEY_PATH cannot be read (${certPath}, ${keyPath})`, {
    cause,
  });
}

async function readPair(paths: { readonly certPath: string; readonly keyPath: string }) {
  const [certificatePem, keyPem] = await Promise.all([
    readFile(paths.certPath, 'utf8'),
    readFile(paths.keyPath, 'utf8'),
  ]);
  return { certificatePem, keyPem };
}

function isGood({ certificatePem }: NodeCertificate): boolean {
  try {
    return Date.parse(new X509Certificate(certificatePem).validTo) - Date.now() > 30 * dayMs;
  } catch {
    return false;
  }
}

async function makeCertificate(nodeId: string): Promise<NodeCertificate> {
  x509.cryptoProvider.set(webcrypto);
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${nodeId.toLowerCase()}`,
    keys,
    signingAlgorithm: algorithm,
    // A day back: the clocks of node and control plane need not agree.
    notBefore: new Date(Date.now() - dayMs),
    notAfter: new Date(Date.now() + lifetimeDays * dayMs),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([
        { type: 'dns', value: nodeId.toLowerCase() },
        { type: 'dns', value: 'localhost' },
        { type: 'ip', value: '127.0.0.1' },
      ]),
    ],
  });
  const key = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return {
    certificatePem: `${certificate.toString('pem')}\n`,
    keyPem: `${x509.PemConverter.encode(key, 'PRIVATE KEY')}\n`,
  };
}
