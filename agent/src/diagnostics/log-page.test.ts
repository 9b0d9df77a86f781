import { expect, it } from 'vitest';
import { logQuery } from '../../api/log-query.js';
import { logPage } from './log-page.js';
import { type LogEntry, LogRing } from './log-ring.js';

const Query = logQuery({ defaultLimit: 2, maxLimit: 5 });
const entry = (second: number, message: string): LogEntry => ({
  timestamp: new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString(),
  level: message.startsWith('!') ? 'error' : 'info',
  source: 'agent',
  message,
});

it('returns each entry once over all pages, newest first, also with equal times', () => {
  const all = [entry(1, 'a'), ...['b', 'c', 'd', 'e', 'f'].map((text) => entry(2, text)), entry(3, 'g')];
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = logPage(all, Query.parse(cursor === undefined ? {} : { cursor }));
    seen.push(...page.entries.map(({ message }) => message));
    cursor = page.nextCursor ?? undefined;
  } while (cursor);
  expect(seen).toEqual(['g', 'f', 'e', 'd', 'c', 'b', 'a']);
});

it('filters by level, time and search', () => {
  const all = [entry(1, '!one'), entry(2, 'two'), entry(3, '!three')];
  const messages = (query: object) => logPage(all, Query.parse(query)).entries.map(({ message }) => message);
  expect(messages({ level: 'error' })).toEqual(['!three', '!one']);
  expect(messages({ since: '2026-01-01T00:00:02Z' })).toEqual(['!three', 'two']);
  expect(messages({ until: '2026-01-01T00:00:01Z', search: 'one' })).toEqual(['!one']);
});

it('refuses an invalid query', () => {
  const bad = [{ limit: 6 }, { limit: 0 }, { level: 'loud' }, { since: 'yesterday' }, { cursor: 'x' }];
  for (const query of bad) expect(Query.safeParse(query).success).toBe(false);
});

it('keeps a limited number of lines', () => {
  const ring = new LogRing();
  for (let n = 0; n < 12_000; n += 1) ring.add(entry(1, `line ${n}`));
  expect(ring.list().length).toBeLessThanOrEqual(10_000);
  expect(ring.list().at(-1)?.message).toBe('line 11999');
});
