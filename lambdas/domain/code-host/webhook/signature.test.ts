import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { isSigned, WebhookSecrets } from './signature.js';

const body = Buffer.from('{"zen":"Ünïcode \\u00e9"}');
const sign = (secret: string, of: Uint8Array = body) =>
  `sha256=${createHmac('sha256', secret).update(of).digest('hex')}`;
const current = 'c'.repeat(32);
const previous = 'p'.repeat(32);

it('accepts the current and the previous secret, and no other', () => {
  expect(isSigned(body, sign(current), { current, previous })).toBe(true);
  expect(isSigned(body, sign(previous), { current, previous })).toBe(true);
  expect(isSigned(body, sign(previous), { current, previous: '' })).toBe(false);
  expect(isSigned(body, sign('x'.repeat(32)), { current, previous })).toBe(false);
});

it('accepts the signature of exactly these bytes', () => {
  const padded = Buffer.concat([body, Buffer.from(' ')]);
  expect(isSigned(padded, sign(current), { current, previous })).toBe(false);
  expect(isSigned(padded, sign(current, padded), { current, previous })).toBe(true);
});

it.each([
  undefined,
  '',
  'sha256=',
  `sha1=${'0'.repeat(40)}`,
  sign(current).slice(0, -2),
  `${sign(current)}00`,
  sign(current).toUpperCase(),
  `${sign(current)}\n`,
])('refuses the header %j', (header) => {
  expect(isSigned(body, header, { current, previous })).toBe(false);
});

it('accepts nothing with an empty secret', () => {
  expect(isSigned(body, sign(''), { current, previous: '' })).toBe(false);
});

it.each([[{ current: '' }], [{ current: 'c'.repeat(15) }], [{ current, previous: 'p'.repeat(15) }]])(
  'refuses the short secret of %j',
  (secrets) => {
    expect(WebhookSecrets.safeParse(secrets).success).toBe(false);
  },
);

it.each([
  [{ current: 'c'.repeat(16) }],
  [{ current, previous: 'p'.repeat(16) }],
  [{ current, previous: '' }],
])('accepts %j', (secrets) => {
  expect(WebhookSecrets.safeParse(secrets).success).toBe(true);
});
