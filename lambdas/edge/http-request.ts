import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import * as z from 'zod/mini';
import { readEnv } from '../shared/env.js';

const env = readEnv({
  /**
   * How many proxies of ours stand before API Gateway; each appends the address it was called from to
   * X-Forwarded-For. One, CloudFront, unless a deployment is reached without it. Whoever calls API Gateway past
   * CloudFront can choose their address with it: anonymous limits are a damper, not a wall.
   */
  FORWARDED_HOPS: z._default(z.coerce.number(), 1),
});

/** The parts of a request that only the edge and routes with a proof of their own look at. */
export interface HttpRequest {
  readonly cookies: ReadonlyMap<string, string>;
  /** The caller's address, by which anonymous calls are counted. */
  readonly clientAddress: string;
  /** By lower-case name. */
  readonly header: (name: string) => string | undefined;
}

export function httpRequest(event: APIGatewayProxyEventV2): HttpRequest {
  return {
    // API Gateway takes cookies out of the headers; the emulator leaves them there.
    cookies: parseCookies(event.cookies ?? [event.headers.cookie ?? '']),
    clientAddress: clientAddress(event),
    header: (name) => event.headers[name],
  };
}

export function parseCookies(pairs: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    pairs
      .flatMap((pair) => pair.split(';'))
      .map((pair) => pair.trim())
      .filter((pair) => pair.includes('='))
      .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  );
}

// Entries further left than our own proxies wrote are the caller's own claim and are not believed.
function clientAddress(event: APIGatewayProxyEventV2): string {
  const { sourceIp } = event.requestContext.http;
  if (env.FORWARDED_HOPS === 0) return sourceIp;
  const forwarded = (event.headers['x-forwarded-for'] ?? '').split(',').map((entry) => entry.trim());
  return forwarded.at(-1 - env.FORWARDED_HOPS) || sourceIp;
}
