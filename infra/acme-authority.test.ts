import { expect, it } from 'vitest';
import { acmeEnvironment } from './acme-authority.js';
import { parseSettings } from './settings.js';

const of = (context: Record<string, unknown>) =>
  acmeEnvironment(parseSettings({ superadmins: '1', ...context }));
const pem = '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n';

it('nodes order short-lived certificates of Let’s Encrypt', () => {
  expect(of({})).toEqual({
    ACME_DIRECTORY: 'https://acme-v02.api.letsencrypt.org/directory',
    ACME_PROFILE: 'shortlived',
  });
});

it('nodes order certificates of the operator’s authority, with values in one line', () => {
  const settings = {
    acmeDirectory: 'https://ca.example.com/acme/acme/directory',
    acmeContact: 'operator@example.com',
    acmeProfile: 'node',
    acmeTrustAnchors: pem,
  };

  expect(of(settings)).toEqual({
    ACME_DIRECTORY: settings.acmeDirectory,
    ACME_CONTACT: settings.acmeContact,
    ACME_PROFILE: 'node',
    ACME_TRUST_ANCHORS: Buffer.from(pem).toString('base64'),
  });
});

it.each([
  { acmeDirectory: 'off' },
  { publicUrl: 'http://localhost:8787' },
  { nodesDomain: 'nodes.example.com', nodesZoneId: 'Z1' },
])('nodes order none with %o', (context) => {
  expect(of(context)).toEqual({});
});

it.each([
  [{ acmeDirectory: 'http://ca.example.com/directory' }, 'acmeDirectory'],
  [{ acmeContact: 'nobody' }, 'acmeContact'],
  [{ acmeProfile: 'two words' }, 'acmeProfile'],
  [{ acmeTrustAnchors: '/etc/ca.pem' }, 'acmeTrustAnchors'],
  [
    { acmeDirectory: 'https://ca.example.com', nodesDomain: 'nodes.example.com', nodesZoneId: 'Z1' },
    'acmeDirectory is for nodes without nodesDomain',
  ],
])('refuses %o', (context, message) => {
  expect(() => of(context)).toThrow(message);
});
