import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import type { Route } from '../../route-row.js';
import { contract } from '../contract.js';
import { docsPage } from './docs-page.js';
import { openApiDocument } from './document.js';

const route: Route = {
  method: 'POST',
  path: '/api/nodes/{nodeId}/stop',
  file: 'nodes/stop-now',
  auth: { kind: 'session', owns: 'node' },
  grants: [],
};
const stopNow = contract({
  summary: 'Stop <now>',
  params: z.object({ nodeId: z.string().check(z.length(26)) }),
  query: z.strictObject({ force: z._default(z.boolean(), false) }),
  body: z.strictObject({
    reason: z.optional(z.string().check(z.maxLength(10))),
    tags: z.array(z.object({ key: z.string() })),
  }),
  responses: { 202: z.object({ status: z.literal('stopping') }), 303: null },
  errors: ['NODE_BUSY', 'RATE_LIMIT_EXCEEDED'],
});

const document = openApiDocument([route], () => stopNow);
const operation = document.paths['/api/nodes/{nodeId}/stop']?.post;

describe('the OpenAPI document', () => {
  it('states who may call, with what', () => {
    expect(operation).toMatchObject({
      operationId: 'nodesStopNow',
      tags: ['nodes'],
      security: [{ session: [] }],
      parameters: [
        {
          name: 'nodeId',
          in: 'path',
          required: true,
          schema: { type: 'string', minLength: 26, maxLength: 26 },
        },
        { name: 'force', in: 'query', required: false, schema: { type: 'boolean', default: false } },
      ],
      requestBody: { required: true, content: { 'application/json': { schema: { required: ['tags'] } } } },
    });
  });

  it('lists every answer: those of the contract, and the errors of its kind of caller and body', () => {
    const codes = Object.fromEntries(
      Object.entries(operation?.responses ?? {}).map(([status, { description }]) => [status, description]),
    );

    expect(codes).toMatchObject({
      400: 'BAD_REQUEST',
      401: 'UNAUTHORIZED',
      403: 'ORIGIN_REQUIRED, FORBIDDEN',
      404: 'NOT_FOUND',
      409: 'NODE_BUSY',
      413: 'PAYLOAD_TOO_LARGE',
      415: 'UNSUPPORTED_MEDIA_TYPE',
      429: 'RATE_LIMIT_EXCEEDED',
      500: 'INTERNAL_ERROR',
    });
    expect(operation?.responses['202']?.content).toHaveProperty('application/json');
    expect(operation?.responses['303']?.headers).toHaveProperty('location');
  });

  it('reads as a page, whatever a contract says', () => {
    const page = docsPage(document);

    expect(page).toContain('Stop &#60;now&#62;');
    expect(page).toContain('<code>tags[].key</code>');
    expect(page).toContain('at most 10 characters');
    expect(page.match(/<script/g)).toHaveLength(1);
  });
});
