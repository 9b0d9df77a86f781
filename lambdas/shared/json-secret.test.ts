import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { parseJsonSecret } from './json-secret.js';

const Schema = z.object({ current: z.string(), previous: z._default(z.string(), '') });
const parse = (text: string | undefined) => parseJsonSecret(Schema, 'The secret of webhooks', text);

it('reads a secret in JSON', () => {
  expect(parse('{"current": "a"}')).toEqual({ current: 'a', previous: '' });
});

it.each(['hunter2hunter2', '"hunter2hunter2"', '{"current": hunter2hunter2}', '', undefined])(
  'does not quote what is no such object: %s',
  (text) => {
    expect(() => parse(text)).toThrow(/^The secret of webhooks is not the JSON object/);
    expect(() => parse(text)).not.toThrow(/hunter2/);
  },
);

it('names the fields that are wrong, without their values', () => {
  expect(() => parse('{"current": 123456}')).toThrow(/: current$/);
});
