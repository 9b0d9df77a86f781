import { describe, expect, it } from 'vitest';
import type * as z from 'zod/mini';
import { docsPage } from '../edge/openapi/docs-page.js';
import { openApiDocument } from '../edge/openapi/document.js';
import { routes } from '../routes.js';
import { contractOf } from './contracts.js';
import { callbacksForTools, clientsForTools, documentOfClients } from './documents.js';

it.each(routes.map(({ file }) => file))('has a contract for %s', (file) => {
  expect(contractOf(file)).toMatchObject({ summary: expect.any(String), responses: expect.any(Object) });
});

const document = openApiDocument(routes, contractOf);
const { paths } = document;
const page = docsPage(documentOfClients);
const operations = routes.map(({ method, path, file }) => {
  const operation = paths[path]?.[method.toLowerCase()];
  const contract = contractOf(file);
  if (!operation || !contract) throw new Error(`${file} is not in the document`);
  return { name: `${method} ${path}`, operation, contract };
});

it.each(operations)('$name is described', ({ operation }) => {
  expect(operation.description).toBeTruthy();
});

const ofCallbacks = Object.values(callbacksForTools.paths).flatMap((methods) => Object.values(methods));

it.each(operations)('$name is on the page of the API, unless nodes alone call it', ({ operation }) => {
  const { operationId, security } = operation;
  const isForNodes = ofCallbacks.some((each) => each.operationId === operationId);

  expect(page.includes(`<article id="${operationId}">`)).toBe(!isForNodes);
  expect(isForNodes && security.some((each) => 'session' in each)).toBe(false);
});

it('links only to what is on the page of the API', () => {
  const targets = [...page.matchAll(/href="#([\w-]*)"/g)].map(([, target]) => `id="${target}"`);

  expect(targets.filter((target) => !page.includes(target))).toEqual([]);
});

const bodies = operations
  .filter(({ contract }) => contract.takesBody && !contract.bodySchema)
  .flatMap(({ name, operation, contract }) =>
    Object.values(operation.requestBody?.content ?? {}).map(
      ({ example }) => [name, contract, example] as const,
    ),
  );

it.each(bodies)('%s takes the body that its documentation shows', (_name, { body }, example) => {
  expect(body.safeParse(example)).toMatchObject({ success: true });
});

const isSchema = (shape: unknown): shape is z.ZodMiniType => typeof shape === 'object' && shape !== null;
const answers = operations.flatMap(({ name, operation, contract }) =>
  Object.entries(contract.responses)
    .filter(([, shape]) => isSchema(shape))
    .map(([status, shape]) => {
      const { example } = operation.responses[status]?.content?.['application/json'] ?? {};
      return [`${name} ${status}`, shape as z.ZodMiniType, example] as const; // What is filtered above.
    }),
);

it.each(answers)('%s may answer as its documentation shows', (_name, shape, example) => {
  expect(example).toBeDefined();
  expect(shape.safeParse(example)).toMatchObject({ success: true });
});

const parameters = operations.flatMap(({ name, operation, contract }) => {
  const shown = (place: string) =>
    Object.fromEntries(
      operation.parameters
        .filter((each) => each.in === place && each.required)
        .map((each) => [each.name, each.example]),
    );
  return [
    [`${name}, path`, contract.params, shown('path')] as const,
    [`${name}, query`, contract.query, shown('query')] as const,
  ];
});

it.each(parameters)('takes the parameters that the documentation shows: %s', (_name, schema, example) => {
  expect(schema.safeParse(example)).toMatchObject({ success: true });
});

/** Repeats of these create no second record without a key, or cannot return the first answer. */
const withoutKey: Readonly<Record<string, string>> = {
  'POST /api/credentials': 'one credential for each provider',
  'POST /api/projects/{projectId}/credentials': 'one credential for each provider',
  'POST /api/admin/credentials': 'one credential for each provider',
  'POST /api/projects/{projectId}/tasks/request-upload': 'an address for an upload, and no record',
  'POST /api/projects/{projectId}/tasks/{taskId}/pull-request': 'one open pull request for each branch',
  'POST /api/projects/{projectId}/workspaces/{workspaceId}/acp-interactions': 'its node chooses the id',
  'POST /api/projects/{projectId}/invites': 'its token is shown once and is not stored',
};
const creating = operations.filter(
  ({ name, operation }) => name.startsWith('POST ') && operation.responses['201'] && !(name in withoutKey),
);

it.each(creating.map(({ name, operation }) => [name, operation] as const))(
  '%s takes an Idempotency-Key',
  (_, { parameters, responses }) => {
    expect(parameters.filter((one) => one.in === 'header').map(({ name }) => name)).toContain(
      'Idempotency-Key',
    );
    expect(responses['409']?.description).toContain('IDEMPOTENCY_KEY_REUSED');
  },
);

describe.each([
  ['clients', clientsForTools],
  ['callbacks', callbacksForTools],
])('the document of %s for tools', (_, named) => {
  it('names every record that occurs more than once', () => {
    const counts = new Map<string, number>();
    const count = (part: unknown): void => {
      if (typeof part !== 'object' || part === null) return;
      const text = JSON.stringify(part);
      if ('properties' in part && text.length > 300) counts.set(text, (counts.get(text) ?? 0) + 1);
      for (const each of Object.values(part)) count(each);
    };
    count([named.paths, named.components.schemas]);

    expect([...counts].filter(([, times]) => times > 1).map(([text]) => text)).toEqual([]);
  });

  it('refers only to what it has', () => {
    const text = JSON.stringify(named);
    const missing = [...text.matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g)].filter(
      ([, kind = '', name = '']) => !(name in (named.components[kind] ?? {})),
    );

    expect(missing).toEqual([]);
  });
});
