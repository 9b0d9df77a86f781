import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { ConfigError } from '../config/variable.js';
import { writeFileAtomic } from '../files/local-disk.js';
import { makeCertificate } from './make-certificate.js';

const dayMs = 24 * 60 * 60 * 1_000;

export interface NodeCertificate {
  readonly certificatePem: string;
  readonly keyPem: string;
}

/** The operator's certificate, or else the node's own, which it keeps across restarts. */
export async function loadCertificate(options: {
  readonly tls: { readonly certPath: string; readonly keyPath: string } | null;
  readonly own: { readonly certPath: string; readonly keyPath: string };
  readonly nodeId: string;
}): Promise<NodeCertificate> {
  const { tls, own, nodeId } = options;
  if (tls) return readPair(tls).catch((cause) => Promise.reject(unreadable(tls, cause)));
  const saved = await readPair(own).catch(() => null);
  if (saved && isGood(saved)) return saved;
  const made = makeCertificate(nodeId);
  // The key first: a stored certificate must have its key.
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
