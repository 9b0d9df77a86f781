import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { beforeAll, expect, it } from 'vitest';
import { originSecretHeader } from '../../route-row.js';
import { fallback } from '../../routes.js';
import { newId } from '../../shared/ids.js';

let handler: typeof import('./not-found.js').handler;

beforeAll(async () => {
  process.env.ROUTE = JSON.stringify(fallback);
  ({ handler } = await import('./not-found.js'));
});

const call = (method: string, path: string) =>
  handler(
    {
      version: '2.0',
      routeKey: 'ANY /{path+}',
      rawPath: path,
      rawQueryString: 'a=1&a=2',
      headers: { 'content-type': 'text/plain', [originSecretHeader]: process.env.ORIGIN_SECRETS },
      queryStringParameters: { a: '1,2' },
      pathParameters: { path: path.slice(1) },
      requestContext: { http: { method, path, sourceIp: '127.0.0.1' } },
      body: '{',
      isBase64Encoded: false,
    } as unknown as APIGatewayProxyEventV2, // Only what the edge reads.
    { awsRequestId: 'r-1' } as Context,
  );

it('answers an unknown endpoint in the shape of every error, whatever was sent', async () => {
  const reply = await call('PATCH', '/api/nope');

  expect(reply.statusCode).toBe(404);
  expect(JSON.parse(String(reply.body))).toEqual({
    error: 'NOT_FOUND',
    message: 'Endpoint not found',
    requestId: 'r-1',
  });
});

it.each([
  ['GET', '/mcp', 'POST'],
  ['DELETE', '/mcp', 'POST'],
  ['PUT', '/api/workspaces', 'POST, GET'],
  ['POST', `/api/nodes/${newId()}`, 'GET, DELETE'],
])('says to %s %s what else can be done there', async (method, path, allow) => {
  const reply = await call(method, path);

  expect(reply).toMatchObject({ statusCode: 405, headers: { allow } });
  expect(JSON.parse(String(reply.body))).toMatchObject({ error: 'METHOD_NOT_ALLOWED' });
});

it.each(['/api/nodes//stop', '/api/nodes/a/b/c/d', '/mcp/', '//mcp', '/'])(
  'knows nothing at %s',
  async (path) => {
    expect(await call('GET', path)).toMatchObject({ statusCode: 404 });
  },
);
