import type { RateWindow } from '../shared/errors.js';

/** How the caller stands in a rate limit's present window. */
export const rateLimitHeaders = ({ limit, remaining, resetAt }: RateWindow): Record<string, string> => ({
  'x-ratelimit-limit': String(limit),
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-reset': String(resetAt),
});
