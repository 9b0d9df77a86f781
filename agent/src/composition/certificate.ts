import { generateKeyPairSync } from 'node:crypto';
import type { Server } from 'node:https';
import { setTimeout as wait } from 'node:timers/promises';
import { AccountKey } from '../acme/account-key.js';
import { AcmeConnection } from '../acme/acme-connection.js';
import { AddressCertificate } from '../acme/address-certificate.js';
import { CertificateStore } from '../acme/certificate-store.js';
import { serveChallenge } from '../acme/challenge-listener.js';
import { orderCertificate } from '../acme/order-certificate.js';
import { signingRequest } from '../acme/signing-request.js';
import { type Config, statePaths } from '../config/config.js';
import { serveCertificate } from '../http/served-certificates.js';
import type { NodeCertificate } from '../node/certificate.js';
import { publicAddress } from '../node/public-address.js';
import type { Foundation } from './foundation.js';

const orderTimeoutMs = 10 * 60_000;

/** Null without an authority, and with a certificate of the operator. */
export function composeCertificate({ config, log }: Foundation, server: Server): AddressCertificate | null {
  const { acme, stateDir, tls } = config;
  const { directoryUrl, metadataUrl } = acme;
  if (directoryUrl === null || tls !== null) return null;
  const store = new CertificateStore(statePaths(stateDir).issuedCertificate);
  return new AddressCertificate({
    store,
    findAddress: (signal) => publicAddress(metadataUrl, signal),
    order: (address, signal) =>
      order({ acme: { ...acme, directoryUrl }, host: config.host, store }, address, signal),
    use: (certificate) => serveCertificate(server, certificate),
    now: () => new Date(),
    wait: (ms, signal) => wait(ms, undefined, { signal }).catch(() => undefined),
    log,
  });
}

interface Orders {
  readonly acme: Config['acme'] & { readonly directoryUrl: string };
  readonly host: string;
  readonly store: CertificateStore;
}

async function order(
  { acme, host, store }: Orders,
  address: string,
  ended: AbortSignal,
): Promise<NodeCertificate> {
  const signal = AbortSignal.any([ended, AbortSignal.timeout(orderTimeoutMs)]);
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const connection = new AcmeConnection(acme, new AccountKey(await store.accountKey()), signal);
  const certificatePem = await orderCertificate(connection, {
    address,
    profile: acme.profile,
    contact: acme.contact,
    signingRequest: signingRequest(address, privateKey),
    serveChallenge: (token, response) => serveChallenge({ host, port: acme.challengePort }, token, response),
    signal,
  });
  return { certificatePem, keyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
}
