import type { JsonSchema } from './json-schema.js';
import { sampleId, usualValues } from './usual-values.js';

/** A value that is plausible for a schema: its default, its first choice, its required fields, one item of a list. */
export function sample(schema: JsonSchema): unknown {
  if (schema.default !== undefined) return schema.default;
  if (schema.const !== undefined) return schema.const;
  const [choice] = schema.enum ?? (schema.anyOf ?? schema.oneOf)?.map(sample) ?? [];
  if (choice !== undefined) return choice;
  const { properties, required = [] } = schema;
  if (properties)
    return Object.fromEntries(required.map((name) => [name, sampleOf(name, properties[name] ?? {})]));
  if (schema.items) return [sample(schema.items)];
  return plain(schema);
}

/** With what is usual for a field of this name, where its schema takes that. */
export function sampleOf(name: string, schema: JsonSchema): unknown {
  const usual = usualValues[name]?.find((value) => accepts(schema, value));
  return usual === undefined ? sample(schema) : usual;
}

function plain(schema: JsonSchema): unknown {
  const [type = 'string'] = [schema.type ?? []].flat();
  if (type === 'string') return sampleText(schema);
  if (type === 'integer' || type === 'number') return Math.max(1, schema.minimum ?? 1);
  return type === 'boolean' ? true : type === 'array' ? [] : {};
}

function sampleText(schema: JsonSchema): string {
  const { format, minLength = 0 } = schema;
  if (format === 'date-time') return '2026-11-21T10:00:00Z';
  if (format === 'uri') return 'https://berth.example';
  const texts = ['text', sampleId, '5001', 'abcdef0123456789'.repeat(2), 'a'.repeat(minLength)];
  return texts.find((text) => acceptsText(schema, text)) ?? '…';
}

/** As far as a usual value can be wrong: its kind, its choices, its form. */
function accepts(schema: JsonSchema, value: unknown): boolean {
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants) return variants.some((variant) => accepts(variant, value));
  if (schema.enum) return schema.enum.includes(value);
  if (schema.const !== undefined) return schema.const === value;
  const types = [schema.type ?? []].flat();
  if (value === null) return types.includes('null');
  if (typeof value === 'number') return types.includes('integer') || types.includes('number');
  if (typeof value === 'boolean') return types.includes('boolean');
  return typeof value === 'string' && types.includes('string') && acceptsText(schema, value);
}

function acceptsText({ pattern, minLength = 0, maxLength }: JsonSchema, text: string): boolean {
  const fits = text.length >= minLength && text.length <= (maxLength ?? text.length);
  return fits && (!pattern || new RegExp(pattern, 'u').test(text));
}
