import { expect, it } from 'vitest';
import { nodeAdvice } from './node-advice.js';

const now = new Date('2026-12-01T00:00:00Z');
const later = '2026-12-05T00:00:00Z';
const acceptUrl = 'https://192.0.2.7:8443/health';
const of = (certificate: Parameters<typeof nodeAdvice>[1]) =>
  nodeAdvice('https://192.0.2.7:8443', certificate, now);

it('a node with its own certificate is opened once by the person', () => {
  expect(of(null)).toMatchObject({ acceptUrl });
  expect(of(null).text).toMatch(/192\.0\.2\.7:8443.*do not trust the certificate.*Open the node/);
});

it.each(['own', 'ordering'] as const)(
  'a node that is getting its certificate is tried again: %s',
  (state) => {
    expect(of({ state })).toMatchObject({ acceptUrl: null });
  },
);

it('a failed order is shown with its reason and the next attempt', () => {
  const advice = of({ state: 'failed', reason: 'rateLimited: too many', nextAttemptAt: later });

  expect(advice).toMatchObject({ acceptUrl });
  expect(advice.text).toMatch(/rateLimited: too many\. The node tries again at .*Open the node/);
});

it.each(['issued', 'renewing', 'failed'] as const)(
  'with a valid certificate the network is to blame: %s',
  (state) => {
    expect(of({ state, expiresAt: later }).text).toMatch(/firewall or proxy/);
  },
);

it('a certificate that has expired is not trusted', () => {
  expect(of({ state: 'failed', reason: 'down', expiresAt: '2026-11-30T00:00:00Z' }).text).toMatch(
    /no valid certificate: down/,
  );
});
