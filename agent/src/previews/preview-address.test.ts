import { expect, it } from 'vitest';
import { parsePreviewAddress, routedAddress } from './preview-address.js';

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
