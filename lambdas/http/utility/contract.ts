import * as z from 'zod/mini';
import { contract } from '../../edge/contract.js';

const Health = z.object({ status: z.enum(['healthy', 'degraded']), timestamp: z.iso.datetime() });

export const health = contract({
  summary: 'Get the health of the control plane',
  description: 'Returns 503 with the status `degraded` when the table cannot be reached.',
  responses: { 200: Health, 503: Health },
  answers: { 503: { status: 'degraded', timestamp: '2026-11-21T10:00:00Z' } },
});

const PublicJwk = z.object({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: z.string(),
  kid: z.string(),
  alg: z.literal('EdDSA'),
  use: z.literal('sig'),
});

export const jwks = contract({
  summary: 'Get the public keys that verify tokens of this deployment (JWKS)',
  description: 'The previous key stays published until the tokens signed with it have expired.',
  responses: { 200: z.object({ keys: z.array(PublicJwk) }) },
});

export const openapi = contract({
  summary: 'Get this document as OpenAPI 3.1',
  description: 'For tools: the schemas of it also parse the requests and answers of this deployment.',
  responses: { 200: z.record(z.string(), z.unknown()) },
});

export const openapiCallbacks = contract({
  summary: 'Get the callbacks of node agents as OpenAPI 3.1',
  description: 'For developers of the node agent. `/openapi.json` has all other operations.',
  responses: { 200: z.record(z.string(), z.unknown()) },
});

export const docs = contract({
  summary: 'Get this document as an HTML page',
  description: 'For people: every operation with its fields, errors and an example call.',
  responses: { 200: 'text/html; charset=utf-8' },
});

export const downloadAgent = contract({
  summary: 'Download the node agent for a platform',
  description:
    'Redirects to the binary. With `release` the answer never changes and can be cached for a year. Without it the answer is the latest release and can be cached for an hour. `manifest.json` beside the binary gives its SHA-256.',
  // Checked by the handler, which answers each of them with a code of its own.
  query: z.strictObject({
    os: z._default(z.string(), 'linux'),
    arch: z._default(z.string(), 'amd64'),
    release: z.optional(z.string()),
  }),
  responses: { 302: null },
  errors: ['INVALID_VERSION', 'INVALID_PLATFORM', 'NOT_FOUND'],
});
