import { expect, it } from 'vitest';
import { arrivalNotice, isPage, returnPath } from './routes.js';

it.each(['/', '/workspaces', '/projects/01JZ0000000000000000000000', '/apis', '/documents'])(
  'shows a page at %s',
  (path) => expect(isPage(path)).toBe(true),
);

it.each(['/api/workspaces', '/docs', '/openapi.json', '/live', '/assets/main.js'])(
  'leaves %s to the control plane',
  (path) => expect(isPage(path)).toBe(false),
);

it('comes back to the path at a service, and to a prompt that is not sent yet', () => {
  const port = '/workspaces/01JZ0000000000000000000000/ports/5173';
  expect(returnPath({ pathname: port, search: '?path=%2Fa' })).toBe(`${port}?path=%2Fa`);
  expect(returnPath({ pathname: '/', search: '?prompt=Fix%20it' })).toBe('/?prompt=Fix%20it');
  expect(returnPath({ pathname: '/admin', search: '?error=access_denied' })).toBe('/admin');
  expect(returnPath({ pathname: '/', search: `?prompt=${'x'.repeat(600)}` })).toBe('/');
});

it('says how an installation went', () => {
  expect(arrivalNotice('?github_app=error&reason=not_visible')).toContain('not_visible');
  expect(arrivalNotice('')).toBeUndefined();
});
