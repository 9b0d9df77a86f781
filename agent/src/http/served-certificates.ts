import type { Server } from 'node:https';
import { createSecureContext, type SecureContext } from 'node:tls';
import type { NodeCertificate } from '../node/certificate.js';

export const leastTlsVersion = 'TLSv1.2';

/**
 * A caller that names the node by its id gets the certificate that the node reported. The control
 * plane does so, and trusts that one certificate, whatever an authority issues for browsers.
 */
export function reportedByNodeId(nodeId: string, { certificatePem, keyPem }: NodeCertificate) {
  const reported = createSecureContext({ cert: certificatePem, key: keyPem, minVersion: leastTlsVersion });
  const name = nodeId.toLowerCase();
  return (asked: string, done: (error: Error | null, context?: SecureContext) => void) =>
    done(null, asked === name ? reported : undefined);
}

/** From now on new connections get this certificate; open connections stay as they are. */
export function serveCertificate(server: Server, { certificatePem, keyPem }: NodeCertificate): void {
  server.setSecureContext({ cert: certificatePem, key: keyPem, minVersion: leastTlsVersion });
}
