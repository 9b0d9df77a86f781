import 'reflect-metadata';
import { randomBytes, webcrypto } from 'node:crypto';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as x509 from '@peculiar/x509';
import { calculateJwkThumbprint, EmbeddedJWK, flattenedVerify, importJWK, type JWK } from 'jose';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

interface Answered {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Question {
  readonly path: string;
  readonly payload: Record<string, unknown> | null;
}

/** A refusal that the authority answers once. */
export interface Refusal {
  readonly type: string;
  readonly detail: string;
  readonly retryAfterSeconds?: number;
}

/**
 * A small ACME authority in this process, for machines without Pebble and for times that Pebble
 * does not know: it checks nonces and signatures, asks the challenge port, and issues.
 */
export class StandInAuthority implements AsyncDisposable {
  url = '';
  challengePort = 0;
  lifetimeMs = 160 * 3_600_000;
  refusedNonces = 0;
  /** By the name of the resource: `newOrder`, `finalize`. Used up one by one. */
  readonly refusals = new Map<string, Refusal[]>();
  readonly orders: unknown[] = [];
  private readonly nonces = new Set<string>();
  private readonly accounts: JWK[] = [];
  private order: { identifiers?: { value: string }[]; status: string; error?: unknown } = { status: 'none' };
  private token = '';
  private chain = '';
  private readonly server = createServer((request, response) => {
    this.answer(request)
      .catch((error: Error) => problem({ type: 'malformed', detail: error.message }, 400))
      .then((answered) => this.reply(response, answered));
  });

  static async start(): Promise<StandInAuthority> {
    const made = new StandInAuthority();
    await new Promise<void>((listening) => made.server.listen(0, '127.0.0.1', listening));
    made.url = `http://127.0.0.1:${(made.server.address() as AddressInfo).port}`;
    return made;
  }

  get directoryUrl(): string {
    return `${this.url}/directory`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((closed) => this.server.close(closed));
  }

  private reply(response: ServerResponse, { status = 200, body, headers = {} }: Answered): void {
    const nonce = randomBytes(12).toString('base64url');
    this.nonces.add(nonce);
    response.writeHead(status, { 'replay-nonce': nonce, ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  }

  private async answer(request: IncomingMessage): Promise<Answered> {
    const path = request.url ?? '';
    if (path === '/directory') {
      const names = ['newNonce', 'newAccount', 'newOrder'];
      const meta = { profiles: { shortlived: 'about 160 hours' } };
      return { body: { ...Object.fromEntries(names.map((name) => [name, `${this.url}/${name}`])), meta } };
    }
    if (path === '/newNonce') return { status: 204, body: '' };
    const refused = await this.refusedRequest(request, path.slice(1));
    return refused.answered ?? this.serve({ path, payload: refused.payload ?? null });
  }

  private async refusedRequest(request: IncomingMessage, resource: string) {
    const jws = JSON.parse(Buffer.concat(await request.toArray()).toString());
    const { nonce, kid } = JSON.parse(Buffer.from(jws.protected, 'base64url').toString());
    const isKnown = this.nonces.delete(nonce);
    if (!isKnown || this.refusedNonces > 0) {
      this.refusedNonces -= 1;
      return { answered: problem({ type: 'badNonce', detail: 'Not a nonce of this server' }, 400) };
    }
    const account = this.accounts[Number(String(kid).split('/').at(-1))];
    const { payload, protectedHeader } = await flattenedVerify(
      jws,
      account ? await importJWK(account, 'ES256') : EmbeddedJWK,
    );
    if (protectedHeader?.url !== this.url + request.url) throw new Error('The signed address is another one');
    if (protectedHeader.jwk) this.accounts.push(protectedHeader.jwk);
    const refusal = this.refusals.get(resource)?.shift();
    if (refusal) return { answered: problem(refusal, refusal.type === 'rateLimited' ? 429 : 403) };
    const text = Buffer.from(payload).toString();
    return { payload: text === '' ? null : JSON.parse(text) };
  }

  private async serve({ path, payload }: Question): Promise<Answered> {
    switch (path) {
      case '/newAccount':
        return {
          status: 201,
          body: {},
          headers: { location: `${this.url}/account/${this.accounts.length - 1}` },
        };
      case '/newOrder':
        this.orders.push(payload);
        this.token = randomBytes(16).toString('base64url');
        this.order = { ...payload, status: 'pending' };
        return { status: 201, body: this.orderBody(), headers: { location: `${this.url}/order` } };
      case '/authorization':
        return { body: this.authorization() };
      case '/challenge':
        await this.validate();
        return { body: {} };
      case '/finalize':
        await this.issue(String(payload?.csr));
        return { body: this.orderBody() };
      case '/certificate':
        return { body: this.chain };
      default:
        return { body: this.orderBody() };
    }
  }

  private orderBody() {
    const { status } = this.order;
    const certificate = status === 'valid' ? { certificate: `${this.url}/certificate` } : {};
    return {
      status,
      authorizations: [`${this.url}/authorization`],
      finalize: `${this.url}/finalize`,
      ...certificate,
    };
  }

  private authorization() {
    const { status, error } = this.order;
    const challenge = { type: 'http-01', url: `${this.url}/challenge`, token: this.token };
    const ended = status === 'invalid' ? 'invalid' : status === 'pending' ? 'pending' : 'valid';
    return {
      status: ended,
      challenges: [
        { type: 'tls-alpn-01', url: `${this.url}/other` },
        { ...challenge, error },
      ],
    };
  }

  private async validate(): Promise<void> {
    const address = this.order.identifiers?.[0]?.value;
    const account = this.accounts.at(-1);
    const wanted = `${this.token}.${account && (await calculateJwkThumbprint(account))}`;
    const url = `http://${address}:${this.challengePort}/.well-known/acme-challenge/${this.token}`;
    const seen = await textAt(url).catch((error: Error) => error);
    const error =
      seen instanceof Error
        ? { type: 'connection', detail: seen.message }
        : { type: 'unauthorized', detail: 'The answer is wrong' };
    const document = { ...error, type: `urn:ietf:params:acme:error:${error.type}` };
    this.order =
      seen === wanted
        ? { ...this.order, status: 'ready' }
        : { ...this.order, status: 'invalid', error: document };
  }

  private async issue(csr: string): Promise<void> {
    this.chain = await StandInAuthority.certificateOf(Buffer.from(csr, 'base64url'), this.lifetimeMs);
    this.order = { ...this.order, status: 'valid' };
  }

  /** Signs what a signing request asks for, by a key that nobody trusts. */
  static async certificateOf(signingRequest: Buffer, lifetimeMs: number): Promise<string> {
    const request = new x509.Pkcs10CertificateRequest(signingRequest);
    if (!(await request.verify())) throw new Error('The signing request is not signed by its key');
    const names = request.getExtension('2.5.29.17');
    if (!names) throw new Error('The signing request has no subject alternative name');
    const { privateKey } = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
    const certificate = await x509.X509CertificateGenerator.create({
      serialNumber: `01${randomBytes(8).toString('hex')}`,
      issuer: 'CN=Stand-in',
      notBefore: new Date(Date.now() - 1_000),
      notAfter: new Date(Date.now() + lifetimeMs),
      signingAlgorithm: algorithm,
      publicKey: await request.publicKey.export(),
      signingKey: privateKey,
      extensions: [names],
    });
    return certificate.toString('pem');
  }
}

function problem({ type, detail, retryAfterSeconds }: Refusal, status: number): Answered {
  const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  return { status, body: { type: `urn:ietf:params:acme:error:${type}`, detail }, headers };
}

function textAt(url: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  get(url, async (response) => resolve(Buffer.concat(await response.toArray()).toString())).on(
    'error',
    reject,
  );
  return promise;
}
