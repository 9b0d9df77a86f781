import { expect, it } from 'vitest';
import { sharedSite } from './shared-site.js';

it.each([
  ['berth.example.com', 'nodes.berth.example.com', 'berth.example.com'],
  ['berth.example.com', 'nodes.example.com', 'example.com'],
  ['example.com', 'nodes.example.com', 'example.com'],
  ['BERTH.example.com', 'nodes.Example.com.', 'example.com'],
  ['a.co.uk', 'b.co.uk', 'co.uk'],
  ['berth.example.com', 'berth-nodes.com', null],
  ['berth.example.com', 'nodes.example.net', null],
  ['example.com', 'notexample.com', null],
])('%s and %s share %s', (one, other, shared) => {
  expect(sharedSite(one, other)).toBe(shared);
});
