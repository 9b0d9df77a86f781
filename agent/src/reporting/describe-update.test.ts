import { expect, it } from 'vitest';
import { describeUpdate } from './describe-update.js';

const call = { toolCallId: 't', title: 'Edit' };

it('shows what a tool changed line by line', () => {
  const text = describeUpdate.tool({
    ...call,
    content: [{ type: 'diff', path: '/w/a.ts', oldText: 'one\ntwo\n', newText: 'one\n2\n' }],
  });

  expect(text).toBe('/w/a.ts\n-one\n-two\n+one\n+2');
});

it('falls back to what the tool gave out', () => {
  expect(describeUpdate.tool({ ...call, rawOutput: 'text' })).toBe('text');
  expect(describeUpdate.tool({ ...call, rawOutput: { ok: true } })).toBe('{"ok":true}');
  expect(describeUpdate.tool(call)).toBe('');
});

it('leaves what the tool was asked on the node', () => {
  const metadata = describeUpdate.toolMetadata({ ...call, rawInput: { password: 'hidden' }, name: 'Edit' });

  expect(JSON.stringify(metadata)).not.toContain('hidden');
  expect(metadata).toEqual({
    toolCallId: 't',
    title: 'Edit',
    kind: 'other',
    status: 'pending',
    toolName: 'Edit',
  });
});

it('sums up metadata that is too large for the way', () => {
  const locations = Array.from({ length: 20 }, () => ({ path: 'x'.repeat(1_000) }));

  const metadata = describeUpdate.toolMetadata({ ...call, locations });

  expect(metadata).toMatchObject({ toolCallId: 't', contentTruncated: true, transportTruncated: true });
  expect(JSON.stringify(metadata).length).toBeLessThan(1_000);
});

it('names what is no text', () => {
  expect(describeUpdate.block({ type: 'image', data: 'AAAA', mimeType: 'image/png' })).toBe('[image/png]');
  expect(describeUpdate.block({ type: 'resource_link', name: 'a.ts', uri: 'file:///a.ts' })).toBe(
    '[a.ts](file:///a.ts)',
  );
  expect(describeUpdate.block({ type: 'resource', resource: { uri: 'x:1', blob: 'AAAA' } })).toBe('[x:1]');
});
