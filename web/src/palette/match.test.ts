import { expect, it } from 'vitest';
import { type Entry, matching } from './match.js';

const entry = (name: string, group: Entry['group'] = 'Pages', detail = ''): Entry => ({
  ...{ id: name, group, name, detail },
  run: () => undefined,
});
const all = [entry('Task list'), entry('Shop', 'Projects', 'octo/shop'), entry('Fix the shop', 'Tasks')];
const namesOf = (text: string) => matching(all, text).map(({ name }) => name);

it('finds what holds every word, wherever it stands and whatever its case', () => {
  expect(namesOf('OCTO')).toEqual(['Shop']);
  expect(namesOf('shop fix')).toEqual(['Fix the shop']);
  expect(namesOf('nothing')).toEqual([]);
});

it('puts first what begins with the text', () => {
  expect(namesOf('fix')).toEqual(['Fix the shop']);
  expect(namesOf('shop')).toEqual(['Shop', 'Fix the shop']);
});

it('shows everything in its order without a text', () => {
  expect(namesOf(' ')).toEqual(['Task list', 'Shop', 'Fix the shop']);
});

it('shows no more than fits', () => {
  const many = Array.from({ length: 60 }, (_, index) => entry(`Task ${index}`, 'Tasks'));
  expect(matching(many, 'task')).toHaveLength(40);
});
