import type { JsonSchema } from './json-schema.js';

export interface Field {
  /** `details[].field` for what lies deeper. */
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly rule: string;
}

/** The fields of a JSON body, one a row, with those of nested objects below their parent. */
export function fieldsOf(schema: JsonSchema, prefix = ''): readonly Field[] {
  const { properties = {}, required = [] } = withoutNull(schema);
  return Object.entries(properties).flatMap(([name, field]) => {
    const path = `${prefix}${name}`;
    const row = { name: path, type: typeOf(field), required: required.includes(name), rule: ruleOf(field) };
    const inner = withoutNull(field);
    return [row, ...(inner.items ? fieldsOf(inner.items, `${path}[].`) : fieldsOf(inner, `${path}.`))];
  });
}

/** `string`, `integer or null`, `array of object`, `"a" or "b"`. */
export function typeOf(schema: JsonSchema): string {
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants) return [...new Set(variants.map(typeOf))].join(' or ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' or ');
  if (schema.items) return `array of ${typeOf(schema.items)}`;
  return schema.type === undefined ? 'any' : [schema.type].flat().join(' or ');
}

export function ruleOf(schema: JsonSchema): string {
  const { minimum, maximum, minLength, maxLength, pattern, format, default: fallback } = withoutNull(schema);
  return [
    between(minimum, maximum, ''),
    between(minLength, maxLength, ' characters'),
    // A format says it better than the pattern that the library writes for it.
    format ?? (pattern ? `matches ${pattern}` : ''),
    fallback === undefined ? '' : `default ${JSON.stringify(fallback)}`,
    schema.description ?? '',
  ]
    .filter(Boolean)
    .join('; ');
}

function between(least: number | undefined, most: number | undefined, unit: string): string {
  const bounds = [least, most].map((bound) =>
    Math.abs(bound ?? 0) >= Number.MAX_SAFE_INTEGER ? undefined : bound,
  );
  const [low, high] = bounds;
  if (low !== undefined && high !== undefined) return `${low} to ${high}${unit}`;
  if (low !== undefined) return `at least ${low}${unit}`;
  return high === undefined ? '' : `at most ${high}${unit}`;
}

export const withoutNull = (schema: JsonSchema): JsonSchema =>
  (schema.anyOf ?? schema.oneOf)?.find(({ type }) => type !== 'null') ?? schema;
