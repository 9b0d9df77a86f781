import type { JsonSchema } from './json-schema.js';

/** A sample value of a schema: the default, the first choice, required fields, one list item. */
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
  const texts = [
    'text',
    sampleId,
    '5001',
    'abcdef0123456789'.repeat(2),
    'a'.repeat(minLength),
    'https://models.example',
  ];
  return texts.find((text) => acceptsText(schema, text)) ?? '…';
}

/** Checks the choices, the type and the form of a usual value. */
function accepts(schema: JsonSchema, value: unknown): boolean {
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants) return variants.some((variant) => accepts(variant, value));
  if (schema.enum) return schema.enum.includes(value);
  if (schema.const !== undefined) return schema.const === value;
  const types = [schema.type ?? []].flat();
  const isOfType = typesOf(value).some((type) => types.includes(type));
  return isOfType && (typeof value !== 'string' || acceptsText(schema, value));
}

function typesOf(value: unknown): readonly string[] {
  if (value === null) return ['null'];
  return typeof value === 'number' ? ['integer', 'number'] : [typeof value];
}

function acceptsText({ pattern, minLength = 0, maxLength }: JsonSchema, text: string): boolean {
  const fits = text.length >= minLength && text.length <= (maxLength ?? text.length);
  return fits && (!pattern || new RegExp(pattern, 'u').test(text));
}

export const sampleId = '01JD3ZK5W8Q2V7N4B6M9X0TRGH';
/** Of a browser: the key of RFC 8291's example, and the id of its subscription. */
const point = 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4';
const subscription = 'kYl4v0Tn2c9QxS7aWb1ZuA';
const time = '2026-11-21T10:00:00Z';

/** What examples show in fields of these names: the first value that the field takes. */
const usualValues: Readonly<Record<string, readonly unknown[]>> = {
  accountName: ['octo'],
  agentSessionId: [sampleId],
  agentType: ['claude-code'],
  archivedAt: [null],
  attention: [null],
  attentionMarkers: [[]],
  applicationServerKey: [point],
  auth: ['BTBZMqHH6r4Tts7J_aSIgg'],
  avatarUrl: ['https://code.example/octo.png'],
  branch: ['main'],
  cancelledAt: [null],
  chunkId: ['wrchunk:01JD0000000000000000000000:01JD0000000000000000000001:workspace:1:1764000000000'],
  completedAt: [null],
  contentType: ['text/plain'],
  content: ['# Hello\n'],
  cursor: [null],
  defaultBranch: ['main'],
  description: ['Where everything begins', null],
  diff: ['--- a/README.md\n+++ b/README.md\n@@ -1 +1 @@\n-# Hello\n+# Hello, world\n'],
  displayName: ['first'],
  dispatchDepth: [0],
  email: ['octo@example.com'],
  endedAt: [null],
  endpoint: ['https://push.example/send/5f3a'],
  errorMessage: [null],
  expiresAt: [1795255200000, time],
  generation: [1, '0d3f7f0e-8d3c-4a39-9a51-5f4c8a1b2c3d'],
  id: [sampleId, subscription],
  interactionId: ['6f1de0f7-2f3c-4c4e-9d53-3a1f5c7a9b20'],
  entryId: [sampleId],
  filename: ['trace.txt'],
  filePath: ['README.md'],
  fullName: ['octo/hello'],
  githubId: ['1001'],
  githubRepoId: ['1'],
  installationId: ['5001'],
  isTerminated: [false],
  itemId: [`task.${sampleId}`],
  label: ['first'],
  login: ['octo'],
  maskedKey: ['…4321'],
  message: ['Ready'],
  model: ['opus', null],
  name: ['Hello'],
  nextCursor: [null],
  nodeId: [sampleId],
  normalizedName: ['hello'],
  outputBranch: ['task/greet'],
  outputPrUrl: [null],
  parentTaskId: [null],
  path: ['README.md'],
  p256dh: [point],
  pushSubscriptionId: [subscription],
  promptStartedAt: [null],
  provider: ['anthropic', 'github'],
  repository: ['octo/hello'],
  retryCount: [0],
  retryOf: [null],
  role: ['owner', 'user', 'assistant'],
  sessionId: [sampleId, 'q3fT0cZsW1mYkR7uXbN9aA'],
  skillId: [null],
  size: [8],
  startedAt: [null, time],
  status: ['running', 'active'],
  step: ['git_clone'],
  subTaskCount: [0],
  statusError: [null],
  stoppedAt: [null],
  taskId: [sampleId],
  title: ['Greet the world'],
  token: ['a-secret-token'],
  topic: ['Greet the world'],
  truncated: [false],
  url: [`https://ws-${sampleId.toLowerCase()}.berth.example:8443`],
  workspaceId: [sampleId],
  workspaceUrl: [`https://ws-${sampleId.toLowerCase()}.berth.example:8443`],
};
