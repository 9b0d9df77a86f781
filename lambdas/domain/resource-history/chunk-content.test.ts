import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { InvalidRequest } from '../../shared/errors.js';
import { packContent, readContent, unpackContent } from './chunk-content.js';

const sample = { t: 1_000, intervalMillis: 5_000, memoryBytes: 7 };
const span = { id: '0123456789abcdef', kind: 'execute', toolName: 'Bash', startedAt: 1 };
const chunk = { version: 1, samples: [sample], toolSpans: [span] };

function uploadOf(content: Buffer | string, overrides: object = {}) {
  const text = Buffer.from(content);
  const bytes = gzipSync(text);
  return {
    compressedBase64: bytes.toString('base64'),
    compressedBytes: bytes.length,
    uncompressedBytes: text.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    sampleCount: 1,
    ...overrides,
  };
}
const upload = (overrides: object = {}) => uploadOf(JSON.stringify(chunk), overrides);

function fieldOf(read: () => unknown): string | undefined {
  try {
    read();
  } catch (error) {
    if (error instanceof InvalidRequest) return error.details?.[0]?.field;
    throw error;
  }
  return undefined;
}

describe('the content of an uploaded chunk', () => {
  it('is stored as it was uploaded', () => {
    expect(unpackContent(packContent(readContent(upload())))).toEqual(chunk);
  });

  it.each([
    ['base64', { compressedBase64: 'not base64!' }, 'compressedBase64'],
    ['another size', { compressedBytes: 3 }, 'compressedBytes'],
    ['another size uncompressed', { uncompressedBytes: 3 }, 'uncompressedBytes'],
    ['another hash', { sha256: '0'.repeat(64) }, 'sha256'],
    ['another number of samples', { sampleCount: 2 }, 'sampleCount'],
    ['another number of gaps', { gapCount: 1 }, 'gapCount'],
    ['another number of tool spans', { toolSpanCount: 0 }, 'toolSpanCount'],
  ])('is refused with %s than stated', (_, overrides, field) => {
    expect(fieldOf(() => readContent(upload(overrides)))).toBe(field);
  });

  it.each([
    ['JSON', 'no JSON'],
    ['a chunk', '[]'],
    ['a chunk of version 1', JSON.stringify({ ...chunk, version: 2 })],
    ['a list of valid samples', JSON.stringify({ ...chunk, samples: [{ ...sample, t: -1 }] })],
    ['a list of hashed tool calls', JSON.stringify({ ...chunk, toolSpans: [{ ...span, id: 'call-7' }] })],
    ['within 4,096 samples', JSON.stringify({ ...chunk, samples: Array(4_097).fill(sample) })],
  ])('is refused when it is not %s', (_, text) => {
    expect(fieldOf(() => readContent(uploadOf(text)))).toBe('compressedBase64');
  });

  it('is refused without its values in the message', () => {
    const text = JSON.stringify({ ...chunk, toolSpans: [{ ...span, kind: 'private-text' }] });

    expect(() => readContent(uploadOf(text))).toThrow(
      expect.objectContaining({
        details: [{ field: 'compressedBase64', message: 'Invalid at toolSpans.0.kind' }],
      }),
    );
  });

  it.each([
    ['is not unzipped beyond 8 MiB', gzipSync(Buffer.alloc(64 * 2 ** 20)), 'Has more than 8388608 bytes'],
    ['is refused when it is not gzip', Buffer.from('plain text'), 'Not gzip'],
  ])('%s', (_, bytes, message) => {
    const claimed = upload({
      compressedBase64: bytes.toString('base64'),
      compressedBytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    });

    expect(() => readContent(claimed)).toThrow(
      expect.objectContaining({
        details: [{ field: 'compressedBase64', message: expect.stringContaining(message) }],
      }),
    );
  });

  it('keeps no field that is not allowed', () => {
    const secrets = [
      ...['prompt', 'title', 'command', 'rawInput', 'arguments', 'output', 'path'],
      ...['env', 'token'],
    ];
    const extra = Object.fromEntries(secrets.map((name) => [name, `private-${name}`]));
    const fed = {
      ...chunk,
      ...extra,
      notes: 'private-notes',
      samples: [{ ...sample, ...extra, unsupported: 'private-text' }],
      toolSpans: [{ ...span, ...extra, toolCallId: 'private-id' }],
      gaps: [{ startedAt: 1, endedAt: 2, reason: 'sampler_delay', ...extra }],
    };

    const stored = gunzipSync(packContent(readContent(uploadOf(JSON.stringify(fed))))).toString();

    expect(stored).not.toMatch(/private/);
    expect(JSON.parse(stored)).toEqual({
      ...chunk,
      gaps: [{ startedAt: 1, endedAt: 2, reason: 'sampler_delay' }],
    });
  });
});
