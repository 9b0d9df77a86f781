import { expect, it } from 'vitest';
import { targetOf } from './target.js';

const workspace = '01J0000000000000000000000A';
const host = 'localhost:8787';

it.each([
  ['/api/workspaces', { kind: 'api' }],
  ['/api/workspaces?limit=1', { kind: 'api' }],
  ['/.well-known/jwks.json', { kind: 'api' }],
  ['/health', { kind: 'api' }],
  ['/openapi.json', { kind: 'api' }],
  ['/openapi-callbacks.json', { kind: 'api' }],
  ['/docs', { kind: 'api' }],
  ['/live', { kind: 'live' }],
  ['/live?x=1', { kind: 'live' }],
  ['/artifacts/agent/latest.json', { kind: 'artifacts', key: 'agent/latest.json' }],
  ['/', { kind: 'console', key: 'index.html' }],
  ['/main.js', { kind: 'console', key: 'main.js' }],
  ['/apiary', { kind: 'console', key: 'apiary' }],
  ['/healthy', { kind: 'console', key: 'healthy' }],
  ['/a%20b.js', { kind: 'console', key: 'a b.js' }],
  ['/%E0%A4%A', { kind: 'console', key: '' }],
  [
    `/ws/${workspace}/terminal?x=1`,
    { kind: 'workspace', workspaceId: workspace, path: '/terminal?x=1', isAtFront: true },
  ],
  [
    `/ws/${workspace.toLowerCase()}`,
    { kind: 'workspace', workspaceId: workspace, path: '/', isAtFront: true },
  ],
  [`/ws/${workspace}/workspaces/${workspace}/ports/3000/`, { kind: 'elsewhere' }],
  [`/ws/${workspace}/workspaces/${workspace}/local-forward/3000`, { kind: 'elsewhere' }],
  [`/ws/${workspace}/workspaces/${workspace}/%70orts/3000/`, { kind: 'elsewhere' }],
  [`/ws/${workspace}/work%73paces/${workspace}/ports/`, { kind: 'elsewhere' }],
  [`/ws/${workspace}/workspaces/${workspace}/ports%2F3000/`, { kind: 'elsewhere' }],
  ['/ws/short/terminal', { kind: 'console', key: 'ws/short/terminal' }],
])('sends %s to where it belongs', (url, target) => {
  expect(targetOf(host, url)).toEqual(target);
});

it.each([
  `ws-${workspace.toLowerCase()}.localhost:8787`,
  `ws-${workspace}.localhost`,
  `ws-${workspace}--5173.localhost:8787`,
])('gives everything at %s to the node, also what looks like a path of the platform', (name) => {
  expect(targetOf(name, '/api/workspaces?a=b')).toEqual({
    kind: 'workspace',
    workspaceId: workspace,
    path: '/api/workspaces?a=b',
    isAtFront: false,
  });
});

it.each([
  `ws-${workspace}--x.localhost`,
  `ws-${workspace}.localhost.example`,
  `xws-${workspace}.localhost`,
  'ws-1.localhost',
  '',
])('takes the host %s for no workspace', (name) => {
  expect(targetOf(name, '/api/x')).toEqual({ kind: 'api' });
});
