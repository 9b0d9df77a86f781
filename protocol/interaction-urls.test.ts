import { expect, it } from 'vitest';
import { isEligibleUrl } from './interaction-urls.js';

it.each([
  'https://github.com/login/device',
  'https://github.com:443/login?client_id=1',
  'https://login.example.co.uk/authorize?redirect_uri=https%3A%2F%2Fapp.example.com%2Fback',
])('accepts %s', (url) => {
  expect(isEligibleUrl(url)).toBe(true);
});

it.each([
  ['another scheme', 'http://example.com/'],
  ['code', 'javascript:alert(1)'],
  ['no address', 'example.com'],
  ['an IPv4 address', 'https://192.0.2.1/'],
  ['an IPv4 address as one number', 'https://3221225985/'],
  ['an IPv6 address', 'https://[2001:db8::1]/'],
  ['a single label', 'https://intranet/'],
  ['this machine', 'https://app.localhost/'],
  ['a private zone', 'https://printer.local/'],
  ['another private zone', 'https://metadata.google.internal/'],
  ['punycode', 'https://xn--pple-43d.com/'],
  ['letters that become punycode', 'https://аpple.com/'],
  ['another port', 'https://example.com:8443/'],
  ['a user', 'https://github.com@evil.example.com/'],
  ['a fragment', 'https://example.com/#token'],
  ['a trailing dot', 'https://example.com./'],
  ['a redirect to this machine', 'https://example.com/?redirect_uri=http%3A%2F%2Flocalhost%3A1234'],
  [
    'a redirect behind a redirect',
    `https://a.example.com/?to=${encodeURIComponent('https://b.example.com/?to=http://10.0.0.1/')}`,
  ],
  ['too many characters', `https://example.com/${'a'.repeat(2_048)}`],
])('refuses %s', (_what, url) => {
  expect(isEligibleUrl(url)).toBe(false);
});

it('refuses redirects that are nested too deep to check', () => {
  const nested = (depth: number): string =>
    depth === 0 ? 'https://example.com/' : `https://example.com/?to=${encodeURIComponent(nested(depth - 1))}`;
  expect([3, 4].map((depth) => isEligibleUrl(nested(depth)))).toEqual([true, false]);
});
