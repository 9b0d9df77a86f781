import { createHash, timingSafeEqual } from 'node:crypto';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import * as z from 'zod/mini';
import { originSecretHeader } from '../route-row.js';
import { readEnv } from '../shared/env.js';
import { Forbidden } from '../shared/errors.js';
import { parseCookies } from './cookies.js';
import type { Call } from './route.js';

/** Parts of a request that the edge reads, and routes that check a proof of their own. */
export interface HttpRequest {
  readonly cookies: ReadonlyMap<string, string>;
  /** The caller's address from CloudFront or API Gateway; anonymous rate limits count by it. */
  readonly clientAddress: string;
  /** The request has the origin secret. */
  readonly isFromCloudFront: boolean;
  /** By lower-case name. */
  readonly header: (name: string) => string | undefined;
}

export function httpRequest(event: APIGatewayProxyEventV2): HttpRequest {
  const isFromCloudFront = cameThroughCloudFront(event.headers[originSecretHeader]);
  return {
    // API Gateway takes cookies out of the headers; the emulator leaves them there.
    cookies: parseCookies(event.cookies ?? [event.headers.cookie ?? '']),
    clientAddress: isFromCloudFront ? viewerAddress(event) : event.requestContext.http.sourceIp,
    isFromCloudFront,
    header: (name) => event.headers[name],
  };
}

/**
 * CloudFront appends the viewer's address to X-Forwarded-For, and API Gateway the address of
 * CloudFront. The viewer can forge entries further left.
 */
function viewerAddress({ headers, requestContext }: APIGatewayProxyEventV2): string {
  const { sourceIp } = requestContext.http;
  const entries = (headers['x-forwarded-for'] ?? '').split(',').map((entry) => entry.trim());
  const viewer = entries.at(-1) === sourceIp ? entries.at(-2) : entries.at(-1);
  return viewer || sourceIp;
}

const env = readEnv({
  /** The values that CloudFront may send, comma-separated: two values during a rotation. */
  ORIGIN_SECRETS: z
    .string()
    .check(z.regex(/^\w{32,}(?:,\w{32,})*$/, 'must be values of 32 characters or more')),
});

// Digests have one length, as the comparison needs.
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
const accepted = env.ORIGIN_SECRETS.split(',').map(digest);

/** Whether a request carries the secret that CloudFront adds; compared in constant time. */
export function cameThroughCloudFront(secret: string | undefined): boolean {
  if (!secret) return false;
  const given = digest(secret);
  return accepted.filter((each) => timingSafeEqual(each, given)).length > 0;
}

const safeMethods = ['GET', 'HEAD'];
const ownSites = [undefined, 'same-origin', 'none'];
/**
 * Refuses requests that a page of another site makes a browser send. SameSite=Lax stops most of
 * them; this check also stops pages of a sibling sub-domain. A client that is no browser sends
 * neither header and is not at risk.
 *
 * @throws {Forbidden}
 */
export function requireSameOrigin(request: HttpRequest, method: string, publicUrl: string): void {
  if (safeMethods.includes(method)) return;
  const origin = request.header('origin');
  const fromHere =
    origin === undefined
      ? ownSites.includes(request.header('sec-fetch-site'))
      : origin === new URL(publicUrl).origin;
  if (!fromHere) throw new Forbidden('The request comes from another origin');
}

/**
 * Refuses requests that do not come from a page of the console, and those without an `Origin`. For
 * calls that only a person may make, in a browser.
 *
 * @throws {Forbidden}
 */
export function requireConsole(request: HttpRequest, publicUrl: string): void {
  const isFromConsole =
    request.header('origin') === new URL(publicUrl).origin &&
    request.header('sec-fetch-site') !== 'cross-site';
  if (!isFromConsole)
    throw new Forbidden('Only the console can answer. Send its address as the header Origin.');
}

/** The bearer token of a request, if it has the form of our tokens. */
export const bearerOf = ({ request }: Pick<Call, 'request'>): string | undefined =>
  /^Bearer ([\w.-]+)$/i.exec(request.header('authorization') ?? '')?.[1];
