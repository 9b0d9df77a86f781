import { createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:tls';
import fc from 'fast-check';
import { afterEach, expect, it, vi } from 'vitest';
import { makeCertificate } from './make-certificate.js';

const dayMs = 24 * 60 * 60 * 1_000;

afterEach(() => {
  vi.useRealTimers();
});

it('is self-signed, for its node and the loopback address only', () => {
  const { certificatePem } = makeCertificate('01JNODE');

  const certificate = new X509Certificate(certificatePem);
  expect(certificate.subject).toBe('CN=01jnode');
  expect(certificate.checkIssued(certificate) && certificate.verify(certificate.publicKey)).toBe(true);
  expect(certificate.subjectAltName).toBe('DNS:01jnode, DNS:localhost, IP Address:127.0.0.1');
  expect(certificate.checkHost('other')).toBeUndefined();
  expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
  expect(certificate.ca).toBe(false);
});

it.each(['2026-03-01T12:00:00Z', '2040-03-01T12:00:00Z', '2051-03-01T12:00:00Z'])(
  'is good from a day before %s, for ten years',
  (now) => {
    vi.useFakeTimers({ now: new Date(now), toFake: ['Date'] });

    const { validFromDate, validToDate } = new X509Certificate(makeCertificate('node').certificatePem);

    expect(validFromDate.getTime()).toBe(Date.parse(now) - dayMs);
    expect(validToDate.getTime()).toBe(Date.parse(now) + 3_650 * dayMs);
  },
);

it('is a valid certificate for any node name and serial number', () => {
  const label = fc.stringMatching(/^[a-z0-9]{1,63}$/);
  const host = fc.array(label, { minLength: 1, maxLength: 3 }).map((labels) => labels.join('.'));
  const numbers = new Set<string>();
  fc.assert(
    fc.property(host, (name) => {
      const { certificatePem, keyPem } = makeCertificate(name);
      const certificate = new X509Certificate(certificatePem);

      expect(certificate.checkHost(name)).toBe(name);
      expect(certificate.checkPrivateKey(createPrivateKey(keyPem))).toBe(true);
      expect(certificate.serialNumber).toMatch(/^[0-9A-F]{2,32}$/);
      numbers.add(certificate.serialNumber);
    }),
  );
  expect(numbers.size).toBe(100);
});

it('serves only TLS clients that trust it', async () => {
  const { certificatePem, keyPem } = makeCertificate('01JNODE');
  const server = createServer({ cert: certificatePem, key: keyPem }, (socket) => socket.end('served'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    for (const servername of ['01jnode', 'localhost']) {
      const socket = connect({ port, host: '127.0.0.1', servername, ca: certificatePem });
      expect(String(await once(socket, 'data'))).toBe('served');
    }
    await expect(once(connect({ port, host: '127.0.0.1' }), 'secureConnect')).rejects.toThrow('self-signed');
  } finally {
    server.close();
  }
});
