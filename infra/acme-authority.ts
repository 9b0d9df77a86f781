import type { Settings } from './settings.js';

const letsEncrypt = 'https://acme-v02.api.letsencrypt.org/directory';

/** Port of the `http-01` challenge (RFC 8555, section 8.3). */
export const challengePort = 80;

type AcmeSettings = Pick<
  Settings,
  'acmeDirectory' | 'acmeContact' | 'acmeProfile' | 'acmeTrustAnchors' | 'nodesDomain' | 'publicUrl'
>;

/** Null where nodes order no certificates: with a domain of their own, and on a laptop. */
export function acmeAuthority({ acmeDirectory, nodesDomain, publicUrl }: AcmeSettings): string | null {
  if (acmeDirectory === 'off') return null;
  if (acmeDirectory !== undefined) return acmeDirectory;
  return nodesDomain || publicUrl ? null : letsEncrypt;
}

/** Nodes get these in their user data; values have no line breaks. */
export function acmeEnvironment(settings: AcmeSettings): Readonly<Record<string, string>> {
  const directory = acmeAuthority(settings);
  if (directory === null) return {};
  const { acmeContact, acmeProfile, acmeTrustAnchors } = settings;
  return {
    ACME_DIRECTORY: directory,
    ACME_PROFILE: acmeProfile,
    ...(acmeContact ? { ACME_CONTACT: acmeContact } : {}),
    ...(acmeTrustAnchors ? { ACME_TRUST_ANCHORS: Buffer.from(acmeTrustAnchors).toString('base64') } : {}),
  };
}
