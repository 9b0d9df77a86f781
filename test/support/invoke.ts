import { randomInt } from 'node:crypto';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import type { HttpHandler } from '../../lambdas/edge/route.js';
import type { Route } from '../../lambdas/route-row.js';
import { originSecretHeader } from '../../lambdas/route-row.js';
import { routes } from '../../lambdas/routes.js';

export interface TestRequest {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cookies?: readonly string[];
  /** To API Gateway itself, past CloudFront. */
  readonly direct?: true;
}

/** What CloudFront adds to a request. */
export const fromCloudFront = (): Record<string, string> => ({
  [originSecretHeader]: process.env.ORIGIN_SECRETS?.split(',')[0] ?? '',
});

/** Each file of tests is another viewer, so that none spends the limits of another. */
const viewer = `198.18.${randomInt(256)}.${randomInt(256)}`;

export interface TestReply {
  readonly status: number;
  /** Parsed when it is JSON, a Buffer when it is bytes. */
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies: readonly string[];
}

export type Invoke = (request?: TestRequest) => Promise<TestReply>;

/** The row of routes.ts that this file serves. */
export function routeOf(file: string): Route {
  const row = routes.find((route) => route.file === file);
  if (!row) throw new Error(`routes.ts has no row for ${file}`);
  return row;
}

/**
 * Loads the handler of a row as its function would, with its row in ROUTE, and calls it as API
 * Gateway does. Load handlers one after the other: a process has only one ROUTE.
 */
export async function loadRoute(file: string): Promise<Invoke> {
  const row = routeOf(file);
  process.env.ROUTE = JSON.stringify(row);
  // The path is built from the table, so the checker cannot see what the module exports.
  const source = new URL(`../../lambdas/http/${file}.ts`, import.meta.url).pathname;
  const { handler } = (await import(/* @vite-ignore */ source)) as { handler: HttpHandler };
  return async (request = {}) => readReply(await handler(httpEvent(row, request), lambdaContext));
}

export const lambdaContext = {
  awsRequestId: '3e1bfb4c-0000-4000-8000-000000000000',
  // The edge reads nothing else of it.
} as Context;

function httpEvent(
  row: Route,
  { params = {}, query = {}, body, headers = {}, cookies = [], direct }: TestRequest,
) {
  const path = row.path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '');
  const isBytes = body instanceof Uint8Array;
  const text = isBytes ? Buffer.from(body).toString('base64') : textOf(body);
  return {
    version: '2.0',
    routeKey: `${row.method} ${row.path}`,
    rawPath: path,
    rawQueryString: new URLSearchParams(query).toString(),
    headers: {
      ...(text === undefined ? {} : { 'content-type': 'application/json' }),
      ...(direct ? {} : { ...fromCloudFront(), 'x-forwarded-for': `${viewer}, 203.0.113.7` }),
      ...headers,
    },
    cookies: [...cookies],
    pathParameters: params,
    ...(text === undefined ? {} : { body: text }),
    isBase64Encoded: isBytes,
    requestContext: { http: { method: row.method, path, sourceIp: '203.0.113.7' } },
    // The edge reads nothing else of an event.
  } as unknown as APIGatewayProxyEventV2;
}

const textOf = (body: unknown): string | undefined =>
  body === undefined || typeof body === 'string' ? body : JSON.stringify(body);

function readReply({
  statusCode,
  body: sent,
  isBase64Encoded = false,
  headers = {},
  cookies = [],
}: APIGatewayProxyStructuredResultV2): TestReply {
  const body = isBase64Encoded && sent ? Buffer.from(sent, 'base64') : sent;
  const isJson = String(headers['content-type']).startsWith('application/json');
  return {
    status: statusCode ?? 200,
    body: isJson && typeof body === 'string' ? JSON.parse(body) : body,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    cookies,
  };
}
