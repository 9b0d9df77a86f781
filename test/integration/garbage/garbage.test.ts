import { beforeAll, describe, expect, it } from 'vitest';
import { type JsonSchema, jsonSchema } from '../../../lambdas/edge/openapi/json-schema.js';
import { contractOf } from '../../../lambdas/http/contracts.js';
import { routes } from '../../../lambdas/routes.js';
import { type EveryRoute, everyRoute } from '../../support/every-route.js';
import type { TestReply } from '../../support/invoke.js';
import { sharedTable } from '../../support/table.js';

// Calls every route of the table as an authorized caller with invalid input, including future rows.

const table = sharedTable();
let call: EveryRoute['call'];
let ids: EveryRoute['ids'];
let credentials: EveryRoute['credentials'];

beforeAll(async () => {
  ({ call, ids, credentials } = await everyRoute(table));
});

const requestId = expect.any(String);
const invalid = (field: string) => ({
  status: 400,
  body: {
    error: expect.stringMatching(/^(BAD_REQUEST|INVALID_[A-Z]+)$/),
    requestId,
    details: expect.arrayContaining([{ field, message: expect.stringMatching(/./) }]),
  },
});

const tooLarge = { status: 413, body: { error: 'PAYLOAD_TOO_LARGE', requestId } };

/** Path parameters that a callback token names too. */
const namedByTokens = ['nodeId', 'workspaceId'];

const named = routes
  // Routes for agents answer with JSON-RPC errors: test/integration/mcp/transport.test.ts.
  .filter(({ auth }) => auth.kind !== 'mcp')
  // Its body counts only with a signature: test/integration/code-host/webhook.test.ts.
  .filter(({ file }) => file !== 'codehost/webhook')
  .map((route) => [`${route.method} ${route.path}`, route] as const);

describe.each(named)('%s', (_name, route) => {
  const contract = contractOf(route.file);
  if (!contract) throw new Error(`${route.file} has no contract`);
  const body = jsonSchema(contract.body, 'input');
  // The node validates the contents of forms. Tests of their routes check size limits.
  const itOfJson = it.skipIf(contract.bodyTypes.includes('multipart/form-data'));
  const query = jsonSchema(contract.query, 'input');
  const { maxBodyBytes = 256 * 1_024 } = contract;
  /** A record with fields that are left out silently, or one of several shapes. */
  const isStrict = body.additionalProperties === false;
  const unknownField = isStrict ? invalid('body.nobodyKnowsThis') : { status: 400 };

  itOfJson.each([
    ['that is not JSON', '{', 'body'],
    ['that is truncated', '{"a":"', 'body'],
    ['that is not UTF-8', '\u0000\ufffd\u0001', 'body'],
    ['nested 100 000 levels deep', '['.repeat(100_000), 'body'],
    ['that is null', 'null', 'body'],
    ['that is a list', '[]', 'body'],
    ['that is a number', '7', 'body'],
    ['with an unpaired surrogate', '{"a":"\\ud83d"}', 'body.a'],
    [
      'nested deeper than DynamoDB stores',
      `{"a":${'['.repeat(40)}${']'.repeat(40)}}`,
      `body.a${'.0'.repeat(23)}`,
    ],
  ])('refuses a body %s', async (_what, text, field) => {
    const isTooLarge = text.length > maxBodyBytes;
    expect(await call(route, { body: text })).toMatchObject(isTooLarge ? tooLarge : invalid(field));
  });

  itOfJson('refuses a body with an unknown field', async () => {
    expect(await call(route, { body: '{"nobodyKnowsThis":1}' })).toMatchObject(unknownField);
  });

  itOfJson('refuses a body that sets a prototype', async () => {
    const reply = await call(route, {
      body: '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{}}}',
    });

    expect(reply.status).toBe(400);
    expect({}).not.toHaveProperty('isAdmin');
  });

  itOfJson.each([
    'text/plain',
    'application/xml',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    '',
    ';',
  ])('refuses a body of media type "%s"', async (type) => {
    const reply = await call(route, { body: '{}', headers: { 'content-type': type } });

    expect(reply).toMatchObject({ status: 415, body: { error: 'UNSUPPORTED_MEDIA_TYPE', requestId } });
  });

  itOfJson('refuses a body of 1 MiB, or of more than it may have', async () => {
    const size = Math.max(2 ** 20, maxBodyBytes + 4);
    for (const text of [
      JSON.stringify({ a: 'x'.repeat(size) }),
      '\u20ac'.repeat(size / 2),
      ' '.repeat(size),
    ]) {
      expect(await call(route, { body: text })).toMatchObject(tooLarge);
    }
  });

  for (const [field, schema] of Object.entries(body.properties ?? {})) {
    it(`refuses a wrong type of ${field}`, async () => {
      for (const value of wrongFor(schema)) {
        const reply = await call(route, { body: { [field]: value } });
        expect(reply, JSON.stringify(value)).toMatchObject({ status: 400, body: { error: 'BAD_REQUEST' } });
        expect(fieldsOf(reply), JSON.stringify(value)).toContainEqual(
          expect.stringMatching(new RegExp(`^body\\.${field}(\\.|$)`)),
        );
      }
    });

    it.runIf(acceptsText(schema))(`refuses an oversized ${field}`, async () => {
      const text = oversized(schema);
      const reply = await call(route, { body: { [field]: text } });

      if (text.length > maxBodyBytes) expect(reply).toMatchObject(tooLarge);
      else expect(fieldsOf(reply)).toContain(`body.${field}`);
    });

    const inner = Object.entries(schema.properties ?? {}).filter(([, each]) => acceptsText(each));
    it.runIf(inner.length > 0)(`refuses oversized fields of ${field}`, async () => {
      for (const [name] of inner) {
        const reply = await call(route, { body: { [field]: { [name]: 'x'.repeat(200_000) } } });
        expect(fieldsOf(reply)).toContain(`body.${field}.${name}`);
      }
    });
  }

  it.runIf(query.additionalProperties === false)('refuses an unknown query parameter', async () => {
    // A PUT without a body is refused for that first.
    const sent = route.method === 'PUT' && body.properties ? { body: {} } : {};
    expect(await call(route, { query: { nope: '1' }, ...sent })).toMatchObject(invalid('query.nope'));
  });

  it('answers no malformed query with 500', async () => {
    for (const name of [...Object.keys(query.properties ?? {}), '__proto__', '']) {
      for (const value of ['', '\u0000', '%zz', 'x'.repeat(5_000), '-1', '1e309', 'NaN', "' OR 1=1 --"]) {
        const reply = await call(route, { query: { [name]: value } });
        expect(reply.status, `${name}=${value.slice(0, 20)}`).not.toBe(500);
        if (isList(query) && name === 'limit') expect(reply).toMatchObject(invalid('query.limit'));
      }
    }
  });

  for (const name of route.path.match(/(?<=\{)\w+/g) ?? []) {
    it(`refuses an invalid path parameter ${name}`, async () => {
      const isInToken =
        ['nodeCallback', 'workspaceCallback'].includes(route.auth.kind) && namedByTokens.includes(name);
      // Short words are names of channels.
      const word = name === 'channel' ? 'X' : 'x';
      for (const value of [word, '..', '%2e%2e', '\u0000', 'x'.repeat(10_000), 'É'.repeat(26), '']) {
        const reply = await call(route, { params: { ...ids, [name]: value } });
        // A callback token names its node or workspace, so any other value is refused before
        // validation.
        if (isInToken) expect(reply).toMatchObject({ status: 403 });
        else expect(reply, value.slice(0, 20)).toMatchObject(invalid(`path.${name}`));
      }
    });
  }

  itOfJson('tolerates malformed headers and cookies', async () => {
    const reply = await call(route, {
      headers: {
        ...credentials[route.auth.kind]?.headers,
        accept: '\u0000',
        cookie: '=;;;==; a',
        'idempotency-key': '\u0000'.repeat(1_000),
        'x-forwarded-for': ',,,',
        'content-type': 'application/json; charset=utf-99',
      },
      cookies: [
        ...(credentials[route.auth.kind]?.cookies ?? []),
        '=',
        '__Host-berth_oauth=\u0000',
        'x'.repeat(9_000),
      ],
      body: '{"nobodyKnowsThis":1}',
    });

    expect(reply).toMatchObject(unknownField);
  });
});

const isList = ({ properties = {} }: JsonSchema) => 'limit' in properties && 'cursor' in properties;

function fieldsOf({ body }: TestReply): readonly string[] {
  const { details = [] } = body as { details?: { field: string }[] }; // The body that `invalid` matches.
  return details.map(({ field }) => field);
}

const variants = (schema: JsonSchema): readonly JsonSchema[] => schema.anyOf ?? schema.oneOf ?? [schema];
const oversized = (schema: JsonSchema): string =>
  'x'.repeat(Math.max(200_000, ...variants(schema).map(({ maxLength = 0 }) => maxLength + 1)));
const acceptsText = (schema: JsonSchema) => variants(schema).some(({ type }) => type === 'string');

/** Values of types that a field does not accept. */
function wrongFor(schema: JsonSchema): readonly unknown[] {
  // A nullable field without other rules has both types in one list.
  const types = variants(schema).flatMap(
    ({ type, const: only, enum: choices }) => type ?? typeof (only ?? choices?.[0]),
  );
  const samples = {
    string: 'a\u0000b',
    number: -1.5,
    boolean: true,
    null: null,
    array: [[]],
    object: { x: 1 },
  };
  return (
    Object.entries(samples)
      // A record whose size is checked before its fields says nothing of its type.
      .filter(([type]) => !(type === 'object' && types.includes('undefined')))
      .filter(([type]) => !types.includes(type) && !(type === 'number' && types.includes('integer')))
      .map(([, value]) => value)
  );
}
