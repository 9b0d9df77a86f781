import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { originSecretHeader } from '../route-row.js';
import { Conflict, RateLimited } from '../shared/errors.js';
import { contract } from './contract.js';
import { route } from './route.js';

const echo = contract({
  summary: 'Echo',
  params: z.object({ thing: z.string().check(z.maxLength(4)) }),
  query: z.strictObject({ limit: z._default(z.coerce.number().check(z.int(), z.lte(100)), 50) }),
  body: z.strictObject({ branch: z.string() }),
  responses: { 200: z.object({ branch: z.string(), limit: z.number() }), 302: null },
});

const path = '/echo/{thing}';
process.env.ROUTE = JSON.stringify({ method: 'POST', path, file: 'echo/echo', auth: { kind: 'public' } });
const origin = { [originSecretHeader]: process.env.ORIGIN_SECRETS ?? '' };

const context = { awsRequestId: '7d2e2a32-0000-4000-8000-000000000001' } as Context;

function event(overrides: Partial<APIGatewayProxyEventV2> = {}): APIGatewayProxyEventV2 {
  return {
    version: '2.0',
    routeKey: 'POST /echo/{thing}',
    rawPath: '/echo/abc',
    rawQueryString: '',
    headers: { 'content-type': 'application/json', ...origin },
    pathParameters: { thing: 'abc' },
    body: '{"branch":"main"}',
    isBase64Encoded: false,
    requestContext: { http: { method: 'POST', path: '/echo/abc', sourceIp: '203.0.113.7' } },
    ...overrides,
    // A test gives only what the edge reads.
  } as APIGatewayProxyEventV2;
}

const handler = route(echo, { identify: () => ({ who: 'anybody' }) }, ({ body, query, who }) => ({
  status: 200,
  body: { branch: body.branch, limit: query.limit, who },
}));

describe('a request within the contract', () => {
  it('reaches the handler parsed, and the reply keeps only what the contract knows', async () => {
    const reply = await handler(event({ rawQueryString: 'limit=7' }), context);

    expect(reply.statusCode).toBe(200);
    expect(JSON.parse(reply.body ?? '')).toEqual({ branch: 'main', limit: 7 });
    expect(reply.headers).toMatchObject({
      'cache-control': 'no-store',
      'content-type': 'application/json',
      'x-request-id': context.awsRequestId,
    });
  });

  it('reads a body that API Gateway passed on in base64', async () => {
    const body = Buffer.from('{"branch":"dev"}').toString('base64');

    const reply = await handler(event({ body, isBase64Encoded: true }), context);

    expect(JSON.parse(reply.body ?? '')).toMatchObject({ branch: 'dev' });
  });
});

describe('a request outside the contract', () => {
  it.each([
    ['malformed JSON', { body: '{' }, 400, 'BAD_REQUEST', ['body']],
    ['a wrong type', { body: '{"branch":7}' }, 400, 'BAD_REQUEST', ['body.branch']],
    ['an unknown field', { body: '{"branch":"a","x":1}' }, 400, 'BAD_REQUEST', ['body.x']],
    ['no body', { body: '' }, 400, 'BAD_REQUEST', ['body.branch']],
    ['JSON that is no object', { body: 'null' }, 400, 'BAD_REQUEST', ['body']],
    ['half a character', { body: '{"branch":"a\\ud83d"}' }, 400, 'BAD_REQUEST', ['body.branch']],
    ['an unknown query name', { rawQueryString: 'a=1' }, 400, 'BAD_REQUEST', ['query.a']],
    ['a repeated query name', { rawQueryString: 'limit=1&limit=2' }, 400, 'BAD_REQUEST', ['query.limit']],
    ['a query that is no number', { rawQueryString: 'limit=ten' }, 400, 'BAD_REQUEST', ['query.limit']],
    ['a path part too long', { pathParameters: { thing: 'abcde' } }, 400, 'BAD_REQUEST', ['path.thing']],
    [
      'two failures at once',
      { body: '{}', rawQueryString: 'limit=101' },
      400,
      'BAD_REQUEST',
      ['query.limit', 'body.branch'],
    ],
    [
      'another media type',
      { headers: { 'content-type': 'text/plain', ...origin } },
      415,
      'UNSUPPORTED_MEDIA_TYPE',
      undefined,
    ],
    ['no media type', { headers: origin }, 415, 'UNSUPPORTED_MEDIA_TYPE', undefined],
    ['1 MiB', { body: JSON.stringify({ branch: 'x'.repeat(2 ** 20) }) }, 413, 'PAYLOAD_TOO_LARGE', undefined],
  ])('is refused: %s', async (...[, overrides, status, code, fields]) => {
    const reply = await handler(event(overrides), context);

    const body = JSON.parse(reply.body ?? '');
    expect(reply.statusCode).toBe(status);
    expect(body).toMatchObject({ error: code, requestId: context.awsRequestId });
    expect(body.details?.map(({ field }: { field: string }) => field)).toEqual(fields);
  });
});

describe('a handler that fails', () => {
  const failing = (error: unknown) =>
    route(echo, { identify: () => ({}) }, () => {
      throw error;
    });

  it('answers a domain error by its kind and code', async () => {
    const reply = await failing(new Conflict('Taken'))(event(), context);

    expect(reply.statusCode).toBe(409);
    expect(JSON.parse(reply.body ?? '')).toMatchObject({ error: 'CONFLICT', message: 'Taken' });
  });

  it('names each field with the part of the request that declares it', async () => {
    const fields = ['branch', 'limit', 'thing', 'branch.0', 'undeclared'];
    const details = fields.map((field) => ({ field, message: 'Wrong' }));

    const reply = await failing(new Conflict('Taken', { details }))(event(), context);

    expect(JSON.parse(reply.body ?? '').details.map(({ field }: { field: string }) => field)).toEqual([
      'body.branch',
      'query.limit',
      'path.thing',
      'body.branch.0',
      'undeclared',
    ]);
  });

  it('states when to come back after a rate limit', async () => {
    const now = new Date('2026-11-21T10:00:30Z');
    const window = { limit: 10, remaining: 0, resetAt: now.getTime() / 1000 + 30 };

    const reply = await failing(new RateLimited(window, now))(event(), context);

    expect(reply.statusCode).toBe(429);
    expect(reply.headers).toMatchObject({
      'retry-after': '30',
      'x-ratelimit-limit': '10',
      'x-ratelimit-remaining': '0',
    });
  });

  it.each([[new Error('the password is swordfish')], ['a string'], [undefined]])(
    'says nothing of a bug: %s',
    async (error) => {
      const reply = await failing(error)(event(), context);

      expect(reply.statusCode).toBe(500);
      expect(JSON.parse(reply.body ?? '')).toEqual({
        error: 'INTERNAL_ERROR',
        message: 'Internal error',
        requestId: context.awsRequestId,
      });
    },
  );

  it('answers 500 when the reply breaks the contract', async () => {
    const broken = route(
      echo,
      { identify: () => ({}) },
      // @ts-expect-error the branch is missing, as it might be when a type lies
      () => ({ status: 200, body: { limit: 1 } }),
    );

    const reply = await broken(event(), context);

    expect(reply.statusCode).toBe(500);
  });
});
