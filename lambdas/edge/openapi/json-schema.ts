import * as z from 'zod/mini';

/** As much of JSON Schema as our schemas become. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly additionalProperties?: boolean | JsonSchema;
}

/** What we accept is described as it is sent, what we answer as it is received. */
export function jsonSchema(schema: z.ZodMiniType, io: 'input' | 'output'): JsonSchema {
  const {
    $schema,
    '~standard': _standard,
    ...described
  } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  // Ours is the part of the library's type that our schemas use.
  return readable(io === 'output' ? withoutNullDefaults(described) : described) as JsonSchema;
}

/**
 * Removes the library's bounds of safe integers, and a pattern beside a format. Generators and
 * fuzzers do not know classes of Unicode in patterns.
 */
function readable(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(readable);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(
        ([name, value]) =>
          !(['minimum', 'maximum'].includes(name) && Math.abs(value) === Number.MAX_SAFE_INTEGER),
      )
      .filter(([name]) => !(name === 'pattern' && 'format' in schema))
      .map(([name, value]) => [name, name === 'pattern' ? withoutClasses(value) : readable(value)]),
  );
}

const withoutClasses = (pattern: string): string =>
  pattern.replaceAll('\\p{Cc}', '\\u0000-\\u001f\\u007f-\\u009f');

/** Fields that are absent in the table have null by default. A response always has them. */
function withoutNullDefaults(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutNullDefaults);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([name, value]) => !(name === 'default' && value === null))
      .map(([name, value]) => [name, withoutNullDefaults(value)]),
  );
}
