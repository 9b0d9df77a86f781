import { expect, it } from 'vitest';
import { seenFromContainers, swapFor } from './loopback-alias.js';

it.each([
  ['http://localhost:8787/mcp?a=b', '172.17.0.1', 'http://172.17.0.1:8787/mcp?a=b'],
  ['http://127.0.0.1:8787/mcp', 'host.docker.internal', 'http://host.docker.internal:8787/mcp'],
  ['http://localhost:8787/mcp', null, 'http://localhost:8787/mcp'],
  ['https://berth.example/mcp', '172.17.0.1', 'https://berth.example/mcp'],
  ['http://localhost.example/mcp', '172.17.0.1', 'http://localhost.example/mcp'],
])('leads from %s by %s to %s', (url, alias, expected) => {
  expect(seenFromContainers(url, alias)).toBe(expected);
});

it('replaces only URLs of a code host on this machine', () => {
  expect(swapFor('http://localhost:8790/octo/hello.git', '172.17.0.1')).toEqual({
    from: 'http://localhost:8790/',
    to: 'http://172.17.0.1:8790/',
  });
  expect(swapFor('https://github.com/octo/hello.git', '172.17.0.1')).toBeNull();
  expect(swapFor('http://localhost:8790/octo/hello.git', null)).toBeNull();
  expect(swapFor(null, '172.17.0.1')).toBeNull();
});
