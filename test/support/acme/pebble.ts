import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CertificateAuthority } from '../../../local/certificate-authority.js';
import { until } from '../until.js';

/** Let's Encrypt's own ACME server for tests, built from its source with Go. */
const version = 'v2.10.3';
const folder = join(import.meta.dirname, '../../../.cache/pebble', version);
const binary = join(folder, 'pebble');
const buildTimeoutMs = 300_000;

/** Why there is no Pebble on this machine; null: there is one. Builds it at its first use. */
export async function whyNoPebble(): Promise<string | null> {
  if (existsSync(binary)) return null;
  const go = ['/usr/local/go/bin/go', '/usr/bin/go'].find((path) => existsSync(path));
  if (!go) return 'Pebble is not tested: Go is not installed';
  const module = `github.com/letsencrypt/pebble/v2/cmd/pebble@${version}`;
  const options = { env: { ...process.env, GOBIN: folder }, timeout: buildTimeoutMs };
  return promisify(execFile)(go, ['install', module], options).then(
    () => null,
    (error: Error) => `Pebble is not tested: it cannot be built (${error.message.split('\n')[0]})`,
  );
}

export interface Faults {
  /** Per cent of nonces that are refused although they are valid. */
  readonly refusedNonces?: number;
  /** The authority waits before it validates, up to 15 s. */
  readonly isSlow?: boolean;
  readonly validitySeconds?: number;
}

/** One Pebble on free ports. It issues for addresses whose challenge port it can reach. */
export class Pebble implements AsyncDisposable {
  private constructor(
    readonly directoryUrl: string,
    private readonly managementUrl: string,
    /** Trusts the directory's own TLS certificate. */
    readonly anchorsPem: string,
    readonly challengePort: number,
    /** Where it validates nothing of `http-01`. */
    readonly otherPort: number,
    private readonly end: () => Promise<void>,
  ) {}

  static async start({ refusedNonces = 0, isSlow = false, validitySeconds = 600 }: Faults = {}) {
    const state = mkdtempSync(join(tmpdir(), 'pebble-'));
    const authority = await CertificateAuthority.open(state);
    const { certificatePem, keyPem } = await authority.issue([]);
    const [port = 0, managementPort = 0, httpPort = 0, tlsPort = 0] = await freePorts(4);
    const pebble = {
      listenAddress: `127.0.0.1:${port}`,
      managementListenAddress: `127.0.0.1:${managementPort}`,
      certificate: join(state, 'server.pem'),
      privateKey: join(state, 'server.key'),
      ...{ httpPort, tlsPort, ocspResponderURL: '', externalAccountBindingRequired: false },
      retryAfter: { authz: 1, order: 1 },
      profiles: {
        default: { description: 'Long', validityPeriod: 7_776_000 },
        shortlived: { description: 'Short', validityPeriod: validitySeconds },
      },
    };
    writeFileSync(pebble.certificate, certificatePem);
    writeFileSync(pebble.privateKey, keyPem);
    writeFileSync(join(state, 'pebble.json'), JSON.stringify({ pebble }));
    const child = spawn(binary, ['-config', join(state, 'pebble.json')], {
      env: {
        PEBBLE_WFE_NONCEREJECT: String(refusedNonces),
        ...(isSlow ? {} : { PEBBLE_VA_NOSLEEP: '1' }),
        // Each order validates the address.
        PEBBLE_AUTHZREUSE: '0',
      },
      stdio: 'ignore',
    });
    const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    const end = async () => {
      child.kill();
      await exited;
    };
    const made = new Pebble(
      `https://127.0.0.1:${port}/dir`,
      `https://127.0.0.1:${managementPort}`,
      authority.certificatePem,
      httpPort,
      tlsPort,
      end,
    );
    await until('Pebble answers', () => made.rootPem());
    return made;
  }

  /** The root of the certificates that it issues; another one for each Pebble. */
  rootPem(): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    request(`${this.managementUrl}/roots/0`, { ca: this.anchorsPem }, async (response) => {
      const chunks = await response.toArray();
      resolve(Buffer.concat(chunks).toString());
    })
      .on('error', reject)
      .end();
    return promise;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.end();
  }
}

async function freePorts(count: number): Promise<readonly number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
      return server;
    }),
  );
  const ports = servers.map((server) => {
    const address = server.address();
    return typeof address === 'object' && address ? address.port : 0;
  });
  await Promise.all(servers.map((server) => new Promise((closed) => server.close(closed))));
  return ports;
}
