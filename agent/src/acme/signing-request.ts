import { createPublicKey, type KeyObject, sign } from 'node:crypto';
import {
  bitString,
  explicit,
  implicit,
  integer,
  objectIdentifier,
  octetString,
  sequence,
  set,
} from '../node/der.js';

const ecdsaWithSha256 = sequence(objectIdentifier('1.2.840.10045.4.3.2'));
const extensionRequest = objectIdentifier('1.2.840.113549.1.9.14');
const subjectAltName = objectIdentifier('2.5.29.17');

/**
 * A certificate signing request (PKCS #10) for an IPv4 address, in DER. It has no subject: RFC 8738
 * has the address in the subject alternative name only.
 */
export function signingRequest(address: string, key: KeyObject): Buffer {
  const ipAddress = implicit(7, Uint8Array.from(address.split('.').map(Number)));
  const extensions = sequence(sequence(subjectAltName, octetString(sequence(ipAddress))));
  const content = sequence(
    integer(Uint8Array.of(0)),
    sequence(),
    createPublicKey(key).export({ type: 'spki', format: 'der' }),
    explicit(0, sequence(extensionRequest, set(extensions))),
  );
  return sequence(content, ecdsaWithSha256, bitString(sign('sha256', content, key)));
}
