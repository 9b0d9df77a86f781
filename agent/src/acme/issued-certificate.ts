import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { NodeCertificate } from '../node/certificate.js';

/** A certificate that an authority issued for one address. */
export interface IssuedCertificate extends NodeCertificate {
  readonly address: string;
  readonly expiresAt: Date;
  /** Half of its life has passed. */
  readonly renewAt: Date;
}

/**
 * Reads key and chain. Null unless the first certificate is of the key, for the address and not
 * expired.
 */
export function issuedCertificate(
  { certificatePem, keyPem }: NodeCertificate,
  { address, now }: { readonly address: string; readonly now: Date },
): IssuedCertificate | null {
  try {
    const leaf = new X509Certificate(certificatePem);
    const { validFromDate, validToDate: expiresAt } = leaf;
    const isOurs = leaf.checkPrivateKey(createPrivateKey(keyPem)) && leaf.checkIP(address) !== undefined;
    if (!isOurs || expiresAt <= now) return null;
    const renewAt = new Date((validFromDate.getTime() + expiresAt.getTime()) / 2);
    return { certificatePem, keyPem, address, expiresAt, renewAt };
  } catch {
    return null;
  }
}
