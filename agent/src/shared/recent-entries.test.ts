import { expect, it } from 'vitest';
import { RecentEntries } from './recent-entries.js';

it('drops the oldest key above its limit, and none when a known key is set again', () => {
  const recent = new RecentEntries<number>(2);
  for (const [key, value] of [
    ['a', 1],
    ['b', 2],
    ['b', 3],
  ] as const)
    recent.set(key, value);
  expect([recent.find('a'), recent.find('b')]).toEqual([1, 3]);

  recent.set('c', 4);
  expect([recent.find('a'), recent.find('b'), recent.find('c')]).toEqual([undefined, 3, 4]);
});
