import { expect, it } from 'vitest';
import { FormSchema, formProblem } from './interaction-forms.js';

const schema = FormSchema.parse({
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 2, maxLength: 4 },
    region: { type: 'string', enum: ['eu', 'us'] },
    size: { type: 'string', oneOf: [{ const: 's', title: 'Small' }] },
    count: { type: 'integer', minimum: 1, maximum: 3 },
    ratio: { type: 'number' },
    isPublic: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string', enum: ['a', 'b', 'c'] }, minItems: 1, maxItems: 2 },
  },
  required: ['name'],
});

it('accepts values that fit the form', () => {
  const all = {
    name: 'Ada',
    region: 'eu',
    size: 's',
    count: 3,
    ratio: 0.5,
    isPublic: true,
    tags: ['a', 'b'],
  };
  expect([formProblem(schema, { name: 'Ada' }), formProblem(schema, all)]).toEqual([undefined, undefined]);
});

it.each([
  ['name', {}],
  ['name', { name: 'A' }],
  ['name', { name: 'Grace' }],
  ['name', { name: 3 }],
  ['other', { name: 'Ada', other: 'x' }],
  ['toString', { name: 'Ada', toString: 'x' }],
  ['region', { name: 'Ada', region: 'mars' }],
  ['size', { name: 'Ada', size: 'Small' }],
  ['count', { name: 'Ada', count: 1.5 }],
  ['count', { name: 'Ada', count: 4 }],
  ['count', { name: 'Ada', count: '2' }],
  ['isPublic', { name: 'Ada', isPublic: 'true' }],
  ['tags', { name: 'Ada', tags: [] }],
  ['tags', { name: 'Ada', tags: ['a', 'a'] }],
  ['tags', { name: 'Ada', tags: ['d'] }],
  ['tags', { name: 'Ada', tags: 'a' }],
])('refuses %s in %j', (name, content) => {
  expect(formProblem(schema, content)).toMatchObject({ name });
});

it('refuses text over its limit of bytes', () => {
  const open = FormSchema.parse({ type: 'object', properties: { note: { type: 'string' } } });
  expect(formProblem(open, { note: 'ä'.repeat(2_048) })).toBeUndefined();
  expect(formProblem(open, { note: 'ä'.repeat(2_049) })).toMatchObject({ name: 'note' });
});

const form = (properties: unknown, rest = {}) => ({ type: 'object', properties, ...rest });
const text = { type: 'string' };

it.each([
  ['an unknown key', form({ a: { ...text, pattern: '(a+)+$' } })],
  ['a nested object', form({ a: { type: 'object', properties: {} } })],
  ['a free list', form({ a: { type: 'array', items: { type: 'string' } } })],
  ['a required property that it does not have', form({ a: text }, { required: ['b'] })],
  ['too many properties', form(Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`p${at}`, text])))],
  ['too many choices', form({ a: { ...text, enum: Array.from({ length: 51 }, (_, at) => `${at}`) } })],
  [
    'too many bytes',
    form(
      Object.fromEntries(
        Array.from({ length: 18 }, (_, at) => [`p${at}`, { ...text, title: 'x'.repeat(1_000) }]),
      ),
    ),
  ],
])('refuses a form with %s', (_what, asked) => {
  expect(FormSchema.safeParse(asked).success).toBe(false);
});

it.each([
  [{ minLength: 3 }, 'at least 3 characters'],
  [{ maxLength: 1 }, 'from 0 to 1 characters'],
  [{ minLength: 3, maxLength: 4 }, 'from 3 to 4 characters'],
])('names the limits %j that the form has', (limits, words) => {
  const note = { type: 'string', ...limits };
  const open = FormSchema.parse({ type: 'object', properties: { note } });
  expect(formProblem(open, { note: 'ab' })?.message).toBe(`Must have ${words}`);
});

it.each([
  [{ minimum: 3 }, 'at least 3'],
  [{ maximum: 1 }, 'at most 1'],
  [{ minimum: 3, maximum: 4 }, 'from 3 to 4'],
])('names the limits %j of a number', (limits, words) => {
  const count = { type: 'number', ...limits };
  const open = FormSchema.parse({ type: 'object', properties: { count } });
  expect(formProblem(open, { count: 2 })?.message).toBe(`Must be ${words}`);
});
