import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import type { NodeCertificate } from './certificate.js';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const dayMs = 24 * 60 * 60 * 1_000;
const lifetimeDays = 3_650;

/** A node's own certificate, signed by itself. */
export async function makeCertificate(nodeId: string): Promise<NodeCertificate> {
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
