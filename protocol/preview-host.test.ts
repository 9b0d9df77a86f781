import { expect, it } from 'vitest';
import { parsePreviewHost, previewLabel } from './preview-host.js';

const workspaceId = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const service = { workspaceId, port: 5173 };

it.each(['.localhost:8787', '.nodes.example.com', ':8443', ''])(
  'names workspace and port of a host that ends with %j',
  (end) => {
    expect(parsePreviewHost(`${previewLabel(service)}${end}`)).toEqual(service);
    expect(parsePreviewHost(`${previewLabel(service).toUpperCase()}${end}`)).toEqual(service);
  },
);

it.each([
  `ws-${workspaceId}.localhost`,
  `ws-${workspaceId}--0.localhost`,
  `ws-${workspaceId}--65536.localhost`,
  `ws-${workspaceId}--08.localhost`,
  `ws-${workspaceId}--80x.localhost`,
  `x.ws-${workspaceId}--80.localhost`,
  undefined,
])('knows that %s is the host of no service', (host) => {
  expect(parsePreviewHost(host)).toBe(null);
});
