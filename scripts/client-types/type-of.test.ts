import { expect, it } from 'vitest';
import { typeOf } from './type-of.js';

it.each([
  [{ type: 'string' }, 'string'],
  [{ type: ['integer', 'null'] }, 'number | null'],
  [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 'string | null'],
  [{ enum: ['a', 1] }, '"a" | 1'],
  [{ const: true }, 'true'],
  [{ type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'null' }] } }, 'readonly (string | null)[]'],
  [{ type: 'object', properties: {}, additionalProperties: false }, 'Readonly<Record<string, never>>'],
  [{ type: 'object', additionalProperties: { type: 'number' } }, 'Readonly<Record<string, number>>'],
  [
    { type: 'object', required: ['a'], properties: { a: { type: 'boolean' }, 'b-c': { type: 'string' } } },
    '{ readonly a: boolean;\nreadonly "b-c"?: string; }',
  ],
  [{}, 'unknown'],
])('says %j as %s', (schema, type) => {
  expect(typeOf(schema)).toBe(type);
});
