import { expect, it } from 'vitest';
import { runtimeFilePath } from './runtime-file-path.js';

const place = { root: '/workspaces', workDir: '/workspaces/full' };

it.each([
  ['.env', '/workspaces/full/.env'],
  ['config/app.json', '/workspaces/full/config/app.json'],
  ['/workspaces/shared/.npmrc', '/workspaces/shared/.npmrc'],
  ['.gitignore', '/workspaces/full/.gitignore'],
])('places %s in the workspace', (path, absolute) => {
  expect(runtimeFilePath(path, place)).toEqual({ absolute });
});

it.each([
  '',
  'x'.repeat(1_025),
  '../other',
  'a/../../b',
  'a//b',
  './a',
  'a/',
  '/etc/passwd',
  '/workspaces',
  '/workspacesother/a',
  '~/.bashrc',
  '.git/hooks/pre-commit',
  'sub/.GIT/config',
  '.ssh/authorized_keys',
  'a\nb',
  'a\0b',
])('refuses %j', (path) => {
  expect(runtimeFilePath(path, place)).toEqual({ reason: expect.any(String) });
});
