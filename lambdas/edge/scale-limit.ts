import * as z from 'zod/mini';
import type { RateLimit } from '../domain/rate-limits/rate-limits.js';
import { readEnv } from '../shared/env.js';

/** A limit with the number of requests that this deployment allows. */
export function scaleLimit<Limit extends RateLimit>(limit: Limit): Limit {
  const { LIMIT_FACTOR } = readEnv({ LIMIT_FACTOR: z._default(z.coerce.number(), 1) });
  return { ...limit, limit: Math.ceil(limit.limit * LIMIT_FACTOR) };
}
