import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { FormSchema, formProblem } from '../../../protocol/interaction-forms.js';
import { optionKinds } from '../../../protocol/interactions.js';
import { answerHash, choicesOf, contentOf, controlName, effectOf } from './decision.js';

const schema: Parameters<typeof contentOf>[0] = {
  type: 'object',
  properties: {
    name: { type: 'string', maxLength: 20 },
    port: { type: 'integer' },
    fast: { type: 'boolean' },
    region: { type: 'string', oneOf: [{ const: 'eu', title: 'Europe' }] },
    tags: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
  },
};

function filled(values: readonly (readonly [property: string, value: string])[]): FormData {
  const data = new FormData();
  for (const [property, value] of values) data.append(controlName(property), value);
  return data;
}

it('takes the values of a form as the schema types them', () => {
  const data = filled([
    ['name', 'Berth'],
    ['port', '8080'],
    ['fast', 'on'],
    ['region', 'eu'],
    ['tags', 'a'],
    ['tags', 'b'],
  ]);
  const content = contentOf(schema, data);

  expect(content).toEqual({ name: 'Berth', port: 8080, fast: true, region: 'eu', tags: ['a', 'b'] });
  expect(formProblem(FormSchema.parse(schema), content)).toBeUndefined();
});

it('leaves out what is empty', () => {
  expect(contentOf(schema, filled([['name', '']]))).toEqual({ fast: false, tags: [] });
});

it('offers the choices of a field by their titles', () => {
  const { region, tags, name } = schema.properties;
  expect(region && choicesOf(region)).toEqual([{ value: 'eu', name: 'Europe' }]);
  expect(tags && choicesOf(tags)).toEqual([
    { value: 'a', name: 'a' },
    { value: 'b', name: 'b' },
  ]);
  expect(name && choicesOf(name)).toBeUndefined();
});

it.each([
  [{ kind: 'selected_option', optionId: 'allow' } as const, 'allow'],
  [{ kind: 'accepted', content: { b: 1, a: 'x' } } as const, '{"a":"x","b":1}'],
  [{ kind: 'declined' } as const, 'declined'],
])('hashes %j as the control plane does', async (decision, text) => {
  expect(await answerHash(decision)).toBe(createHash('sha256').update(text).digest('hex'));
});

it('names the effect of each option in words that begin with what it does', () => {
  const verbs = { allow: /^Allow /, reject: /^Reject /, custom: /^Other / } as const;
  for (const kind of optionKinds)
    expect(effectOf[kind]).toMatch(verbs[kind.split('_')[0] as keyof typeof verbs]);
});
