import { expect, it } from 'vitest';
import { PreviewVisit, previewAddress } from './preview-address.js';

it('opens a service that has only a path at its root', () => {
  const url = 'https://192.0.2.7:8443/workspaces/X/ports/5173/';
  expect(previewAddress(url, '/', 'T')).toBe(`${url}?token=T`);
  expect(previewAddress(url, '/workspaces/X/ports/3000/', 'T')).toBe(`${url}?token=T`);
});

const url = 'https://ws-x--5173.nodes.example:8443/';

it.each([
  ['/', `${url}?token=T`],
  ['/a/b?q=1&r=%20', `${url}a/b?q=1&r=%20&token=T`],
  ['//evil.example/a', `${url}?token=T`],
  ['/\\evil.example', `${url}?token=T`],
  ['https://evil.example/', `${url}?token=T`],
  ['javascript:alert(1)', `${url}?token=T`],
  ['https://ws-x--5173.nodes.example/', `${url}?token=T`],
])('opens %s of a service at its own host only', (path, address) => {
  expect(previewAddress(url, path, 'T')).toBe(address);
});

it('knows when a service sends the browser back within seconds', () => {
  const stored = new Map<string, string>();
  const visit = new PreviewVisit(
    {
      getItem: (key) => stored.get(key) ?? null,
      setItem: (key, value) => stored.set(key, value),
    },
    'one:5173',
  );
  expect(visit.isTooSoon(1_000_000)).toBe(false);
  visit.begin(1_000_000);
  expect(visit.isTooSoon(1_000_500)).toBe(true);
  expect(visit.isTooSoon(1_020_000)).toBe(false);
});
