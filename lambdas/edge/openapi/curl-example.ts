import type { JsonSchema } from './json-schema.js';
import type { Operation } from './operation.js';

const sampleId = '01JD3ZK5W8Q2V7N4B6M9X0TRGH';

/** A call to copy, with every field that must be given. */
export function curlExample(method: string, path: string, operation: Operation): string {
  const address = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    name.endsWith('Id') ? sampleId : 'github',
  );
  const body = operation.requestBody?.content['application/json']?.schema;
  const lines = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} "$BERTH_URL${address}"`,
    ...Object.keys(operation.security[0] ?? {}).map(credential),
    ...(body ? ["-H 'content-type: application/json'", `-d '${JSON.stringify(sample(body))}'`] : []),
  ];
  return lines.join(' \\\n  ');
}

const credential = (scheme: string): string =>
  scheme === 'session' ? '-b "__Host-berth_session=$SESSION"' : '-H "authorization: Bearer $TOKEN"';

/** A value that is plausible for a schema: its required fields, its default, its first choice. */
function sample(schema: JsonSchema): unknown {
  if (schema.default !== undefined) return schema.default;
  if (schema.const !== undefined) return schema.const;
  const [choice] = schema.enum ?? schema.anyOf?.map(sample) ?? schema.oneOf?.map(sample) ?? [];
  if (choice !== undefined) return choice;
  if (schema.properties) {
    const { properties, required = [] } = schema;
    return Object.fromEntries(required.map((name) => [name, named[name] ?? sample(properties[name] ?? {})]));
  }
  return plain[typeof schema.type === 'string' ? schema.type : 'string'] ?? '…';
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
