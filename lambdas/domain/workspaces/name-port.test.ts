import { expect, it } from 'vitest';
import { previewUrl } from './name-port.js';

const service = { workspaceId: '01ARZ3NDEKTSV4RRFFQ69G5FAV', port: 5173 };

it.each([
  [
    'https://ws-01arz3ndektsv4rrffq69g5fav.nodes.example:8443',
    'https://ws-01arz3ndektsv4rrffq69g5fav--5173.nodes.example:8443/',
  ],
  [
    'http://ws-01arz3ndektsv4rrffq69g5fav.localhost:8787',
    'http://ws-01arz3ndektsv4rrffq69g5fav--5173.localhost:8787/',
  ],
  ['https://192.0.2.7:8443', null],
])('gives a service of the workspace at %s the address %s', (workspaceUrl, url) => {
  expect(previewUrl(workspaceUrl, service)).toBe(url);
});
