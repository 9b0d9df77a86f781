import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { hasField } from './has-field.js';

const object = z.strictObject({ name: z.string() });

describe('a schema has a field', () => {
  it.each([
    ['of an object', object],
    ['of one option of a union', z.union([z.strictObject({ other: z.string() }), object])],
    ['of a checked object', object.check(z.refine(() => true))],
    [
      'of the input of a transformation',
      z.pipe(
        object,
        z.transform(({ name }) => name),
      ),
    ],
    ['of an optional object', z.optional(z.nullable(z._default(object, { name: 'a' })))],
  ])('%s', (_name, schema) => {
    expect(hasField(schema, 'name')).toBe(true);
    expect(hasField(schema, 'unknown')).toBe(false);
  });
});
