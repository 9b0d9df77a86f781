import type { JsonSchema } from './json-schema.js';

export const sampleId = '01JD3ZK5W8Q2V7N4B6M9X0TRGH';

/** A value that is plausible for a schema: its required fields, its default, its first choice. */
export function sample(schema: JsonSchema): unknown {
  if (schema.default !== undefined) return schema.default;
  if (schema.const !== undefined) return schema.const;
  const [choice] = schema.enum ?? schema.anyOf?.map(sample) ?? schema.oneOf?.map(sample) ?? [];
  if (choice !== undefined) return choice;
  if (schema.properties) {
    const { properties, required = [] } = schema;
    return Object.fromEntries(required.map((name) => [name, named[name] ?? sample(properties[name] ?? {})]));
  }
  if (schema.minItems) return [sample(schema.items ?? {})];
  if (schema.type === 'string') return sampleText(schema);
  return plain[typeof schema.type === 'string' ? schema.type : 'string'] ?? '…';
}

function sampleText({ format, pattern, minLength = 0 }: JsonSchema): string {
  if (format === 'date-time') return '2026-11-21T10:00:00Z';
  if (format === 'uri') return 'https://berth.example';
  const fitting = ['text', sampleId, '5001', 'abcdef0123456789'.repeat(2), 'a'.repeat(minLength)].find(
    (text) => text.length >= minLength && (!pattern || new RegExp(pattern, 'u').test(text)),
  );
  return fitting ?? '…';
}

const named: Readonly<Record<string, string>> = {
  repository: 'octo/hello',
  installationId: '5001',
  name: 'Hello',
  branch: 'main',
  workspaceId: sampleId,
  nodeId: sampleId,
};
const plain: Readonly<Record<string, unknown>> = {
  integer: 1,
  number: 1,
  boolean: true,
  array: [],
  object: {},
};
