import { X509Certificate } from 'node:crypto';
import { integer, optional, parsedIfGiven, text } from './variable.js';

/** The certificate that browsers get from a node without a domain. */
export const acmeVariables = {
  directoryUrl: parsedIfGiven(
    {
      name: 'ACME_DIRECTORY',
      meaning:
        'ACME directory of the authority that issues a certificate for the address of this node; without it, or with TLS_CERT_PATH, the agent orders none',
    },
    'an https:// address, or http:// to a loopback host',
    directory,
  ),
  contact: optional('ACME_CONTACT', 'E-mail address that the authority may write to'),
  profile: text('ACME_PROFILE', 'shortlived', 'Certificate profile, where the authority offers it'),
  trustAnchorsPem: parsedIfGiven(
    {
      name: 'ACME_TRUST_ANCHORS',
      meaning: 'Authorities of the TLS certificate of the directory: PEM in Base64; default: the public ones',
    },
    'certificates as PEM in Base64',
    pemOfBase64,
  ),
  challengePort: integer(
    ['ACME_CHALLENGE_PORT', '80', 'Port on which the agent answers the authority during a validation'],
    { min: 1, max: 65_535 },
  ),
  metadataUrl: text(
    'AWS_EC2_METADATA_SERVICE_ENDPOINT',
    'http://169.254.169.254',
    'Instance metadata service, which names the public address of this node',
  ),
};

function directory(given: string): string | undefined {
  const url = URL.parse(given);
  const isLoopback = /^(?:localhost|127\.\d+\.\d+\.\d+)$/.test(url?.hostname ?? '');
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback) ? given : undefined;
}

function pemOfBase64(given: string): string | undefined {
  const pem = Buffer.from(given, 'base64').toString();
  try {
    return new X509Certificate(pem) && pem;
  } catch {
    return undefined;
  }
}
