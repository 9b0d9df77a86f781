import { expect, it } from 'vitest';
import { openApiDocument } from '../edge/openapi/document.js';
import { routes } from '../routes.js';
import { contractOf } from './contracts.js';

it.each(routes.map(({ file }) => file))('has a contract for %s', (file) => {
  expect(contractOf(file)).toMatchObject({ summary: expect.any(String), responses: expect.any(Object) });
});

const { paths } = openApiDocument(routes, contractOf);
const examples = routes.flatMap(({ method, path, file }) => {
  const content = paths[path]?.[method.toLowerCase()]?.requestBody?.content ?? {};
  const shown = Object.values(content).filter(({ example }) => example !== undefined);
  return shown.map(({ example }) => [`${method} ${path}`, file, example] as const);
});

it.each(examples)('%s takes the body that its documentation shows', (_name, file, example) => {
  expect(contractOf(file)?.body.safeParse(example)).toMatchObject({ success: true });
});
