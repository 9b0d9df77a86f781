import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { CertificateAuthority } from './certificate-authority.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'berth-ca-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('issues a certificate for a node and the loopback address, self-signed', async () => {
  const authority = await CertificateAuthority.open(folder);

  const issued = new X509Certificate((await authority.issue(['node.localhost'])).certificatePem);

  const own = new X509Certificate(authority.certificatePem);
  expect(issued.checkIssued(own) && issued.verify(own.publicKey)).toBe(true);
  expect(issued.checkIP('127.0.0.1')).toBe('127.0.0.1');
  expect(issued.checkHost('node.localhost')).toBe('node.localhost');
  expect(issued.checkHost('other.localhost')).toBeUndefined();
  expect(issued.ca).toBe(false);
});

it('gives each certificate a key and a number of its own', async () => {
  const authority = await CertificateAuthority.open(folder);

  const [one, other] = await Promise.all([authority.issue(['a']), authority.issue(['a'])]);

  expect(one.keyPem).not.toBe(other.keyPem);
  expect(new X509Certificate(one.certificatePem).serialNumber).not.toBe(
    new X509Certificate(other.certificatePem).serialNumber,
  );
});

it('is the same authority when it is opened again, with a key that only its owner reads', async () => {
  const first = await CertificateAuthority.open(folder);
  const second = await CertificateAuthority.open(folder);

  expect(second.certificatePem).toBe(first.certificatePem);
  expect(statSync(join(folder, 'ca.key')).mode & 0o077).toBe(0);
});
