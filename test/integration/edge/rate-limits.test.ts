import { describe, expect, it } from 'vitest';
import { countRequest } from '../../../lambdas/domain/rate-limits/count-request.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { sharedTable } from '../../support/table.js';

const table = sharedTable();
const limit = { name: 'TEST', limit: 2, windowSeconds: 60 };
const now = new Date('2026-11-21T10:00:30Z');

describe('a rate limit', () => {
  it('counts down to nothing, then refuses until the window ends', async () => {
    const id = newId();

    const first = await countRequest(table, limit, { id, now });
    const second = await countRequest(table, limit, { id, now });
    const third = countRequest(table, limit, { id, now });

    const resetAt = new Date('2026-11-21T10:01:00Z').getTime() / 1000;
    expect(first).toEqual({ limit: 2, remaining: 1, resetAt });
    expect(second).toEqual({ limit: 2, remaining: 0, resetAt });
    await expect(third).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', retryAfter: 30 });
  });

  it('begins again with the next window, and counts each caller alone', async () => {
    const id = newId();
    await countRequest(table, limit, { id, now });
    await countRequest(table, limit, { id, now });

    const later = await countRequest(table, limit, { id, now: new Date('2026-11-21T10:01:00Z') });
    const other = await countRequest(table, limit, { id: newId(), now });

    expect(later.remaining).toBe(1);
    expect(other.remaining).toBe(1);
  });

  it('lets no more through than it allows when many ask at once', async () => {
    const id = newId();

    const asked = await Promise.allSettled(
      Array.from({ length: 8 }, () => countRequest(table, limit, { id, now })),
    );

    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
  });
});
