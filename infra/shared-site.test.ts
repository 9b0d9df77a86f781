import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { expect, it } from 'vitest';
import { sharedSite } from './shared-site.js';
import { EdgeStack } from './stacks/edge-stack.js';
import { buildApp } from './testing.js';

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

it.each([
  ['nodes.example.com', 1],
  ['example-nodes.com', 0],
])('warns at synth when nodes are at %s and the console is at berth.example.com', (nodesDomain, count) => {
  const context = {
    domainName: 'berth.example.com',
    certificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/1',
    nodesDomain,
    nodesZoneId: 'Z1',
  };
  // Without the routes, whose stacks are most of the work of a synthesis.
  const app = buildApp(context, []);
  const edge = app.node.children.find((child) => child instanceof EdgeStack);
  if (!edge) throw new Error('There is no edge stack');

  const warnings = Annotations.fromStack(edge).findWarning('*', Match.stringLikeRegexp('Public Suffix List'));

  expect(warnings).toHaveLength(count);
});
