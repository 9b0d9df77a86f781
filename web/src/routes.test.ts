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
  ['/workspaces/nonsense', { kind: 'missing' }],
  ['/docs', { kind: 'missing' }],
])('knows the page of %s', (path, page) => {
  expect(pageOf(path)).toEqual(page);
});

it('says how an installation went', () => {
  expect(arrivalNotice('?github_app=error&reason=not_visible')).toContain('not_visible');
  expect(arrivalNotice('')).toBeUndefined();
});
