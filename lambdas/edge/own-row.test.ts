import { expect, it } from 'vitest';
import { ownRow } from './own-row.js';

const row = (kind: string) => {
  process.env.ROUTE = JSON.stringify({ method: 'GET', path: '/x', file: 'x/y', auth: { kind }, grants: [] });
};

it('reads the row that infra wrote', () => {
  row('session');

  expect(ownRow('session')).toMatchObject({ method: 'GET', auth: { kind: 'session' } });
});

it('does not load a handler that is looser than its row', () => {
  row('capability');

  expect(() => ownRow('public')).toThrow('x/y is declared capability in routes.ts but built as public');
});

it('does not load without a row', () => {
  delete process.env.ROUTE;

  expect(() => ownRow('public')).toThrow();
});
