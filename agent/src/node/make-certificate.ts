import { createHash, generateKeyPairSync, randomBytes, sign, X509Certificate } from 'node:crypto';
import type { NodeCertificate } from './certificate.js';
import {
  bitString,
  explicit,
  implicit,
  integer,
  objectIdentifier,
  octetString,
  sequence,
  set,
  time,
  utf8String,
  yes,
} from './der.js';

const dayMs = 24 * 60 * 60 * 1_000;
const lifetimeDays = 3_650;
const ecdsaWithSha256 = sequence(objectIdentifier('1.2.840.10045.4.3.2'));
/** Size of an uncompressed P-256 point, which ends the encoding of a public key. */
const pointBytes = 65;

/** A node's self-signed certificate. */
export function makeCertificate(nodeId: string): NodeCertificate {
  const host = nodeId.toLowerCase();
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(set(sequence(objectIdentifier('2.5.4.3'), utf8String(host))));
  const key = publicKey.export({ type: 'spki', format: 'der' });
  const content = sequence(
    explicit(0, integer(Uint8Array.of(2))),
    integer(randomBytes(16)),
    ecdsaWithSha256,
    name,
    // A day back: the clocks of node and control plane may differ.
    sequence(time(new Date(Date.now() - dayMs)), time(new Date(Date.now() + lifetimeDays * dayMs))),
    name,
    key,
    explicit(3, extensions(host, key)),
  );
  const signature = sign('sha256', content, privateKey);
  const certificate = new X509Certificate(sequence(content, ecdsaWithSha256, bitString(signature)));
  return {
    certificatePem: certificate.toString(),
    keyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function extensions(host: string, key: Buffer): Buffer {
  const dns = (name: string) => implicit(2, Buffer.from(name));
  const serverAuth = objectIdentifier('1.3.6.1.5.5.7.3.1');
  const keyHash = createHash('sha256').update(key.subarray(-pointBytes)).digest().subarray(0, 20);
  return sequence(
    // Basic constraints: not a certificate authority, which is the default.
    sequence(objectIdentifier('2.5.29.19'), yes, octetString(sequence())),
    sequence(objectIdentifier('2.5.29.37'), octetString(sequence(serverAuth))),
    sequence(
      objectIdentifier('2.5.29.17'),
      octetString(sequence(dns(host), dns('localhost'), implicit(7, Uint8Array.of(127, 0, 0, 1)))),
    ),
    sequence(objectIdentifier('2.5.29.14'), octetString(octetString(keyHash))),
  );
}
