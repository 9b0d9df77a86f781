import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { cutMark, cutText, describeUpdate, headOf } from './message-text.js';

const anyText = fc.string({ unit: 'grapheme', maxLength: 200 });

it('truncates at a character, with a mark, within the limit', () => {
  fc.assert(
    fc.property(anyText, fc.integer({ min: 20, max: 300 }), (text, maxBytes) => {
      const cut = cutText(text, maxBytes);

      expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(maxBytes);
      if (Buffer.byteLength(text) <= maxBytes) expect(cut).toBe(text);
      else {
        expect(cut.endsWith(cutMark)).toBe(true);
        expect(text.startsWith(cut.slice(0, -cutMark.length))).toBe(true);
        expect(Buffer.from(cut).toString()).toBe(cut);
      }
    }),
  );
});

it('returns the longest beginning that fits', () => {
  expect(headOf('grün', 3)).toBe('gr');
  expect(headOf('grün', 4)).toBe('grü');
  expect(headOf('a😀b', 4)).toBe('a');
  expect(headOf('a😀b', 5)).toBe('a😀');
  expect(headOf('a', 0)).toBe('');
});

const call = { toolCallId: 't', title: 'Edit' };

it('shows changes of a tool line by line', () => {
  const text = describeUpdate.tool({
    ...call,
    content: [{ type: 'diff', path: '/w/a.ts', oldText: 'one\ntwo\n', newText: 'one\n2\n' }],
  });

  expect(text).toBe('/w/a.ts\n-one\n-two\n+one\n+2');
});

it('falls back to the raw output of the tool', () => {
  expect(describeUpdate.tool({ ...call, rawOutput: 'text' })).toBe('text');
  expect(describeUpdate.tool({ ...call, rawOutput: { ok: true } })).toBe('{"ok":true}');
  expect(describeUpdate.tool(call)).toBe('');
});

it('excludes the input of the tool', () => {
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

it('shortens metadata above the limit', () => {
  const locations = Array.from({ length: 20 }, () => ({ path: 'x'.repeat(1_000) }));

  const metadata = describeUpdate.toolMetadata({ ...call, locations });

  expect(metadata).toMatchObject({ toolCallId: 't', contentTruncated: true, transportTruncated: true });
  expect(JSON.stringify(metadata).length).toBeLessThan(1_000);
});

it('names content that is no text', () => {
  expect(describeUpdate.block({ type: 'image', data: 'AAAA', mimeType: 'image/png' })).toBe('[image/png]');
  expect(describeUpdate.block({ type: 'resource_link', name: 'a.ts', uri: 'file:///a.ts' })).toBe(
    '[a.ts](file:///a.ts)',
  );
  expect(describeUpdate.block({ type: 'resource', resource: { uri: 'x:1', blob: 'AAAA' } })).toBe('[x:1]');
});
