import { describe, expect, it } from 'vitest';
import { parsePreviewAddress as parse, routedAddress as routed } from './preview-address.js';

const parsePreviewAddress = (url: string, host?: string) => parse({ url, headers: { host } });
const routedAddress = (url: string, host?: string) => routed({ url, headers: { host } });

it('splits an address without decoding it', () => {
  expect(parsePreviewAddress('/workspaces/W/ports/3000/a%2Fb/%zz?q=%zz?&r')).toEqual({
    kind: 'ports',
    prefix: '/workspaces/W/ports/3000',
    path: '/a%2Fb/%zz',
    query: '?q=%zz?&r',
  });
  expect(parsePreviewAddress('/workspaces/W/local-forward/3000')).toEqual({
    kind: 'local-forward',
    prefix: '/workspaces/W/local-forward/3000',
    path: '',
    query: '',
  });
});

it.each([
  '/workspaces/W/ports',
  '/workspaces/W/ports/',
  '/workspaces/W/ports?x',
  '/workspaces/ports/1/',
  '/x',
])('knows that %s is no preview', (url) => {
  expect(parsePreviewAddress(url)).toBe(null);
  expect(routedAddress(url)).toBe(url);
});

it('hides the path of the service from the router', () => {
  expect(routedAddress('/workspaces/W/ports/3000/%zz?x')).toBe('/workspaces/W/ports/3000/-');
  expect(routedAddress('/workspaces/W/ports/3000')).toBe('/workspaces/W/ports/3000/-');
});

describe('the host of a service', () => {
  const id = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
  const host = `ws-${id.toLowerCase()}--5173.localhost:8787`;
  const route = `/workspaces/${id}/ports/5173/-`;

  it.each(['/', '/a%zz', '/terminal/ws', '/workspaces', `/workspaces/${id}/ports/3000/x`])(
    'gives all of %s to the service',
    (path) => {
      const address = { kind: 'ports', prefix: '', path, query: '?q=1?' };
      expect(parsePreviewAddress(`${path}?q=1?`, host)).toEqual(address);
      expect(routedAddress(`${path}?q=1?`, host)).toBe(route);
    },
  );

  it.each(['*', 'https://node/workspaces', ''])('has no route for %j', (url) => {
    expect(parsePreviewAddress(url, host)).toBe(null);
    expect(routedAddress(url, host)).toBe('/-');
  });
});
