import { expect, it } from 'vitest';
import { routes } from '../routes.js';
import { contractOf } from './contracts.js';

it.each(routes.map(({ file }) => file))('has a contract for %s', (file) => {
  expect(contractOf(file)).toMatchObject({ summary: expect.any(String), responses: expect.any(Object) });
});
