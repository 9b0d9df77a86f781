import type { JsonSchema } from '../../lambdas/edge/openapi/json-schema.js';

/** A JSON Schema of ours as a TypeScript type. */
export function typeOf(schema: JsonSchema): string {
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants) return union(variants.map(typeOf));
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return union(schema.enum.map((value) => JSON.stringify(value)));
  return union([schema.type ?? 'unknown'].flat().map((type) => ofType(type, schema)));
}

const union = (types: readonly string[]): string => [...new Set(types)].join(' | ');

function ofType(type: string, schema: JsonSchema): string {
  if (type === 'array') return `readonly (${schema.items ? typeOf(schema.items) : 'unknown'})[]`;
  if (type === 'object') return objectType(schema);
  return type === 'integer' ? 'number' : type;
}

function objectType({ properties, required = [], additionalProperties }: JsonSchema): string {
  if (properties && Object.keys(properties).length > 0)
    return `{ ${Object.entries(properties)
      .map(
        ([name, each]) =>
          `${commentOf(each)}readonly ${keyOf(name)}${required.includes(name) ? '' : '?'}: ${typeOf(each)};`,
      )
      .join('\n')} }`;
  if (typeof additionalProperties === 'object')
    return `Readonly<Record<string, ${typeOf(additionalProperties)}>>`;
  return additionalProperties === false
    ? 'Readonly<Record<string, never>>'
    : 'Readonly<Record<string, unknown>>';
}

const commentOf = ({ description }: JsonSchema): string =>
  description ? `/** ${description.replaceAll('*/', '* /')} */ ` : '';

const keyOf = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));
