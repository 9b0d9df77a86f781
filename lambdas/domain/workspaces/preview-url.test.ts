import { expect, it } from 'vitest';
import { previewUrl } from './preview-url.js';
import type { Workspace } from './workspace.js';

const onNode = {
  workspaceId: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  nodeId: '01ARZ3NDEKTSV4RRFFQ69G5FAW',
  nodeUrl: 'https://192.0.2.7:8443',
};
const addressOf = (template: string, place: object) =>
  previewUrl(template, { workspace: { ...onNode, ...place } as unknown as Workspace, port: 5173 });

it.each([
  [
    'https://ws-{workspaceId}.nodes.example:8443',
    'https://ws-01arz3ndektsv4rrffq69g5fav--5173.nodes.example:8443/',
  ],
  ['http://ws-{workspaceId}.localhost:8787', 'http://ws-01arz3ndektsv4rrffq69g5fav--5173.localhost:8787/'],
  ['{nodeUrl}', null],
])('gives a service of the workspace at %s the address %s', (template, url) => {
  expect(addressOf(template, {})).toBe(url);
});

it('gives no address while the workspace has no node', () => {
  expect(addressOf('http://ws-{workspaceId}.localhost:8787', { nodeId: null, nodeUrl: null })).toBeNull();
});
