import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { issueText } from './issue-text.js';

const schema = z.object({
  text: z.string().check(z.minLength(1), z.maxLength(3)),
  count: z.int().check(z.gte(1), z.lte(9)),
  flag: z.boolean(),
  kind: z.enum(['one', 'two']),
  only: z.literal('this'),
  list: z.array(z.string()).check(z.maxLength(2)),
  time: z.iso.datetime(),
  address: z.string().check(z.startsWith('/')),
  form: z.string().check(z.regex(/^[a-z]+$/)),
  own: z.string().check(z.regex(/^x$/, 'An x')),
});
const right = {
  ...{ text: 'a', count: 1, flag: true, kind: 'one', only: 'this', list: [] },
  ...{ time: '2026-01-31T12:00:00Z', address: '/a', form: 'a', own: 'x' },
};

it.each<[string, unknown, string]>([
  ['text', undefined, 'Required'],
  ['kind', undefined, 'Required'],
  ['text', 1, 'Must be text'],
  ['text', '', 'Must not be empty'],
  ['text', 'long', 'Must have at most 3 characters'],
  ['count', Number.NaN, 'Must be a number'],
  ['count', 'x', 'Must be a number'],
  ['count', 1.5, 'Must be a whole number'],
  ['count', 0, 'Must be at least 1'],
  ['count', 10, 'Must be at most 9'],
  ['flag', 'yes', 'Must be true or false'],
  ['kind', 'three', 'Must be one of one, two'],
  ['only', 'that', 'Must be this'],
  ['list', {}, 'Must be a list'],
  ['list', ['a', 'b', 'c'], 'Must have at most 2 items'],
  ['time', 'now', 'Must be a date and time, 2026-01-31T12:00:00Z for example'],
  ['address', 'a', 'Must begin with /'],
  ['form', 'A', 'Not in the expected form'],
  ['own', 'y', 'An x'],
])('says of %s with %j: %s', (name, value, said) => {
  const { error } = schema.safeParse({ ...right, [name]: value }, { error: issueText });

  expect(error?.issues.map(({ message }) => message)).toEqual([said]);
});
