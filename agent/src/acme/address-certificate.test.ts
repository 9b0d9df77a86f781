import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { StandInAuthority } from '../../../test/support/acme/stand-in-authority.js';
import type { NodeCertificate } from '../node/certificate.js';
import { Log } from '../shared/log.js';
import { AcmeProblem } from './acme-errors.js';
import { AddressCertificate, type AddressCertificateDeps } from './address-certificate.js';
import { CertificateStore } from './certificate-store.js';
import { signingRequest } from './signing-request.js';

const hourMs = 3_600_000;
const longest = { timeout: 30_000 };
const start = new Date('2026-12-01T00:00:00Z');
let store: CertificateStore;
let used: NodeCertificate[];
let orders: string[];
let running: AddressCertificate | null;
/** The wait of the loop, which ends when the time has passed. */
let waiting: { readonly untilMs: number; readonly end: () => void } | null;

beforeEach(() => {
  vi.useFakeTimers({ now: start, toFake: ['Date'] });
  waiting = null;
  store = new CertificateStore(mkdtempSync(join(tmpdir(), 'certificate-')));
  used = [];
  orders = [];
  running = null;
});

afterEach(async () => {
  vi.useRealTimers();
  await running?.[Symbol.asyncDispose]();
});

/** A certificate as an authority issues it, good for 160 hours from now. */
async function issue(address: string): Promise<NodeCertificate> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const certificatePem = await StandInAuthority.certificateOf(
    signingRequest(address, privateKey),
    160 * hourMs,
  );
  return { certificatePem, keyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
}

function begin(more: Partial<AddressCertificateDeps> = {}): AddressCertificate {
  running = new AddressCertificate({
    store,
    findAddress: async () => '192.0.2.7',
    order: (address) => {
      orders.push(address);
      return issue(address);
    },
    use: (certificate) => used.push(certificate),
    now: () => new Date(),
    wait: (ms, signal) =>
      new Promise((end) => {
        signal.addEventListener('abort', () => end());
        if (ms === 0) end();
        else waiting = { untilMs: Date.now() + ms, end };
      }),
    log: new Log({ level: 'error', format: 'json' }, () => {}),
    ...more,
  });
  running.start();
  return running;
}

const reported = (certificate: AddressCertificate, state: string) =>
  vi.waitFor(() => expect(certificate.report().state).toBe(state), longest);

const refused = (error: Error) => ({
  order: (address: string) => {
    orders.push(address);
    return Promise.reject(error);
  },
});

async function passTime(ms: number): Promise<void> {
  const targetMs = Date.now() + ms;
  for (;;) {
    const { untilMs, end } = await vi.waitUntil(() => waiting, longest);
    if (untilMs > targetMs) break;
    vi.setSystemTime(Math.max(untilMs, Date.now()));
    waiting = null;
    end();
  }
  vi.setSystemTime(targetMs);
}

it('orders, uses and keeps a certificate, and a restart orders no other', async () => {
  const first = begin();
  expect(first.report()).toEqual({ state: 'own' });
  await reported(first, 'issued');
  await first[Symbol.asyncDispose]();

  await reported(begin(), 'issued');

  expect(orders).toEqual(['192.0.2.7']);
  expect(used).toHaveLength(2);
  expect(used[1]).toMatchObject({ certificatePem: used[0]?.certificatePem });
});

it('renews at half of the life, and not before', async () => {
  const certificate = begin();
  await reported(certificate, 'issued');

  await passTime(79 * hourMs);
  expect(orders).toHaveLength(1);
  await passTime(2 * hourMs);
  await vi.waitFor(() => expect(used).toHaveLength(2), longest);

  expect(orders).toHaveLength(2);
  await reported(certificate, 'issued');
});

it('orders again within an hour after the address changed', async () => {
  let address = '192.0.2.7';
  await reported(begin({ findAddress: async () => address }), 'issued');

  address = '192.0.2.8';
  await passTime(hourMs);

  await vi.waitFor(() => expect(orders).toEqual(['192.0.2.7', '192.0.2.8']), longest);
});

it('makes at most four attempts in the first hour, also when the agent restarts each time', async () => {
  for (let minute = 0; minute < 60; minute += 1) {
    const certificate = begin(refused(new AcmeProblem({ type: 'urn:ietf:params:acme:error:connection' })));
    await reported(certificate, 'failed');
    await certificate[Symbol.asyncDispose]();
    vi.setSystemTime(Date.now() + 60_000);
  }

  expect(orders).toHaveLength(4);
});

it('waits as long as the authority asks, and says why', async () => {
  const limit = { type: 'urn:ietf:params:acme:error:rateLimited', detail: 'too many certificates' };
  const certificate = begin(refused(new AcmeProblem(limit, 34 * hourMs)));
  await reported(certificate, 'failed');

  const nextAttemptAt = new Date(start.getTime() + 34 * hourMs);
  expect(certificate.report()).toMatchObject({ reason: expect.stringMatching(/rateLimited: too many/) });
  expect(Date.parse(certificate.report().nextAttemptAt ?? '')).toBeGreaterThanOrEqual(
    nextAttemptAt.getTime(),
  );
  await passTime(33 * hourMs);
  expect(orders).toHaveLength(1);
  await passTime(2 * hourMs);
  await vi.waitFor(() => expect(orders).toHaveLength(2), longest);
});

it('an agent that was killed during an order does not order again at once', async () => {
  begin({ order: () => new Promise(() => {}) });
  await vi.waitFor(async () => expect(await store.attempt()).not.toBeNull());

  const next = begin();
  await reported(next, 'failed');

  expect(next.report().reason).toBe('The agent ended during the order');
  expect(orders).toEqual([]);
});

it('keeps the certificate in use while its renewal fails', async () => {
  let fails = false;
  const certificate = begin({
    order: (address) => (fails ? Promise.reject(new Error('down')) : issue(address)),
  });
  await reported(certificate, 'issued');
  const { expiresAt } = certificate.report();

  fails = true;
  await passTime(81 * hourMs);
  await reported(certificate, 'failed');

  expect(certificate.report()).toMatchObject({ expiresAt, reason: 'down' });
  expect(used).toHaveLength(1);
});

it('refuses a certificate for another address', async () => {
  const certificate = begin({ order: () => issue('192.0.2.99') });

  await reported(certificate, 'failed');

  expect(certificate.report().reason).toMatch(/not for this node/);
  expect(used).toEqual([]);
});

it('reports that the address is not known, and asks again', async () => {
  let answer = () => Promise.reject<string>(new Error('The machine has no public IPv4 address'));
  const certificate = begin({ findAddress: () => answer() });
  await reported(certificate, 'failed');
  expect(certificate.report().reason).toMatch(/no public IPv4/);

  answer = () => Promise.resolve('192.0.2.7');
  await passTime(60_000);

  await reported(certificate, 'issued');
});
