import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { expect, it } from 'vitest';
import { handler } from './not-found.js';

it('answers an unknown endpoint in the shape of every error, whatever was sent', async () => {
  const event = {
    version: '2.0',
    routeKey: 'ANY /{path+}',
    rawPath: '/api/nope',
    rawQueryString: 'a=1&a=2',
    headers: { 'content-type': 'text/plain' },
    queryStringParameters: { a: '1,2' },
    pathParameters: { path: 'api/nope' },
    requestContext: { http: { method: 'PATCH', path: '/api/nope', sourceIp: '127.0.0.1' } },
    body: '{',
    isBase64Encoded: false,
  } as unknown as APIGatewayProxyEventV2; // Only what the edge reads.

  const reply = await handler(event, { awsRequestId: 'r-1' } as Context);

  expect(reply.statusCode).toBe(404);
  expect(JSON.parse(String(reply.body))).toEqual({
    error: 'NOT_FOUND',
    message: 'Endpoint not found',
    requestId: 'r-1',
  });
});
