import { expect, it } from 'vitest';
import { agentRows } from '../agent/api/contracts.js';
import { agentDocument } from './agent-openapi/document.js';
import { openApiDocument } from './openapi.js';

it.each([
  ['the control plane', openApiDocument()],
  ['the node agent', agentDocument(agentRows)],
])('the document of %s has no pattern that only JavaScript can read', (_, document) => {
  const patterns = [...JSON.stringify(document).matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(
    ([, pattern = '']) => JSON.parse(pattern) as string,
  );

  expect(patterns.length).toBeGreaterThan(10);
  expect(patterns.filter((pattern) => /\\p\{|\(\?[=!<]/.test(pattern))).toEqual([]);
});
