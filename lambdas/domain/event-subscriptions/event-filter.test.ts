import { describe, expect, it } from 'vitest';
import { EventFilter, filterFingerprint, matchKeyCount, selects } from './event-filter.js';

const values = (count: number, prefix = 'v') =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);

describe('a filter', () => {
  it.each([
    ['no field', { version: 1 }],
    ['no version', { source: 'x' }],
    ['another version', { version: 2, source: 'x' }],
    ['an unknown field', { version: 1, source: 'x', metadata: 'x' }],
    ['an empty set', { version: 1, source: [] }],
    ['an empty value', { version: 1, source: '' }],
    ['21 values in a field', { version: 1, source: values(21) }],
    ['a value of 161 bytes', { version: 1, source: `${'ä'.repeat(80)}x` }],
    ['an unknown severity', { version: 1, severity: 'bad' }],
  ])('with %s is refused', (_what, filter) => {
    expect(EventFilter.safeParse(filter).success).toBe(false);
  });

  it.each([
    [{ version: 1, severity: 'error' }],
    [{ version: 1, source: 'ä'.repeat(80), subjectId: values(20) }],
  ])('of %j is allowed', (filter) => {
    expect(EventFilter.safeParse(filter).success).toBe(true);
  });

  it('counts different values, and is the same in any order', () => {
    const filter = { source: ['b', 'a', 'a'], severity: 'error' } as const;
    expect(matchKeyCount(filter)).toBe(3);
    expect(filterFingerprint(filter)).toBe(filterFingerprint({ severity: ['error'], source: ['a', 'b'] }));
    expect(filterFingerprint(filter)).not.toBe(filterFingerprint({ source: ['a', 'b'] }));
    // A value of another field is another key.
    expect(filterFingerprint({ source: 'a' })).not.toBe(filterFingerprint({ eventType: 'a' }));
  });

  it('selects an event that has a value of every field', () => {
    const event = {
      ...{ source: 'builds', eventType: 'failed', severity: 'error' as const },
      subject: { type: 'build', id: '42' },
    };
    expect(selects({ source: ['x', 'builds'], severity: 'error', subjectId: '42' }, event)).toBe(true);
    expect(selects({ source: 'builds', severity: 'info' }, event)).toBe(false);
    expect(selects({ subjectType: 'build', subjectId: '4' }, event)).toBe(false);
    expect(selects({ source: 'build*' }, event)).toBe(false);
  });
});
