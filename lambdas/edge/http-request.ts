import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { originSecretHeader } from '../route-row.js';
import { cameThroughCloudFront } from './origin-secret.js';
import { parseCookies } from './parse-cookies.js';

/** The parts of a request that only the edge and routes with a proof of their own look at. */
export interface HttpRequest {
  readonly cookies: ReadonlyMap<string, string>;
  /** The caller's address as CloudFront or API Gateway states it; anonymous calls are counted by it. */
  readonly clientAddress: string;
  /** It carries the origin secret. */
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
 * CloudFront appends the viewer's address to X-Forwarded-For, and API Gateway that of CloudFront. What stands further
 * left is the viewer's own claim.
 */
function viewerAddress({ headers, requestContext }: APIGatewayProxyEventV2): string {
  const { sourceIp } = requestContext.http;
  const entries = (headers['x-forwarded-for'] ?? '').split(',').map((entry) => entry.trim());
  const viewer = entries.at(-1) === sourceIp ? entries.at(-2) : entries.at(-1);
  return viewer || sourceIp;
}
