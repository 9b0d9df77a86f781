import { expect, it } from 'vitest';
import { arrivalNotice, pageOf } from './routes.js';

it.each([
  ['/', { kind: 'workspaces' }],
  ['/workspaces/', { kind: 'workspaces' }],
  ['/new', { kind: 'new' }],
  ['/settings', { kind: 'new' }],
  ['/nodes', { kind: 'nodes' }],
  [
    '/workspaces/01JZ0000000000000000000000',
    { kind: 'workspace', workspaceId: '01JZ0000000000000000000000' },
  ],
  [
    '/workspaces/01JZ0000000000000000000000/ports/5173',
    { kind: 'port', workspaceId: '01JZ0000000000000000000000', port: 5173 },
  ],
  ['/workspaces/01JZ0000000000000000000000/ports/0', { kind: 'missing' }],
  ['/workspaces/nonsense', { kind: 'missing' }],
  ['/docs', { kind: 'missing' }],
])('knows the page of %s', (path, page) => {
  expect(pageOf(path)).toEqual(page);
});

it('says how an installation went', () => {
  expect(arrivalNotice('?github_app=error&reason=not_visible')).toContain('not_visible');
  expect(arrivalNotice('')).toBeUndefined();
});
