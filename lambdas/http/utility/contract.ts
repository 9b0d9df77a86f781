import * as z from 'zod/mini';
import { contract } from '../../edge/contract.js';

const Health = z.object({ status: z.enum(['healthy', 'degraded']), timestamp: z.iso.datetime() });

export const health = contract({
  summary: 'Whether the control plane can work',
  description: '503 with status `degraded` when the table cannot be reached.',
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
  summary: 'The public halves of the keys that sign our tokens',
  description: 'The previous key stays published until the tokens it signed have expired.',
  responses: { 200: z.object({ keys: z.array(PublicJwk) }) },
});

export const openapi = contract({
  summary: 'This document, as OpenAPI 3.1',
  responses: { 200: z.record(z.string(), z.unknown()) },
});

export const docs = contract({
  summary: 'This document, as a page to read',
  responses: { 200: 'text/html; charset=utf-8' },
});

export const downloadAgent = contract({
  summary: 'The node agent for a platform',
  description:
    'Redirects to the binary. With `release` the answer never changes and may be kept for a year; without, it is the latest one and may be kept for an hour. The binary itself never changes; `manifest.json` beside it tells its SHA-256.',
  // Checked by the handler, which answers each of them with a code of its own.
  query: z.strictObject({
    os: z._default(z.string(), 'linux'),
    arch: z._default(z.string(), 'amd64'),
    release: z.optional(z.string()),
  }),
  responses: { 302: null },
  errors: ['INVALID_VERSION', 'INVALID_PLATFORM', 'NOT_FOUND'],
});
