import { expect, it } from 'vitest';
import { boundToolName, ResourceChunk, ResourceHistoryUpload } from './resource-history.js';

const sample = { t: 1, intervalMillis: 5_000, cpuMillis: 12.5, memoryBytes: 10 };
const span = { id: '0123456789abcdef', kind: 'execute', toolName: 'Bash', startedAt: 1 };

it('drops fields of a chunk that the format does not name', () => {
  const secret = 'sk-secret';
  const chunk = ResourceChunk.parse({
    version: 1,
    samples: [{ ...sample, env: secret }],
    toolSpans: [{ ...span, title: secret, rawInput: { command: secret }, path: secret }],
    gaps: [{ startedAt: 1, endedAt: 2, reason: 'sampler_delay', output: secret }],
    prompt: secret,
    notes: [secret],
  });
  expect(JSON.stringify(chunk)).not.toContain(secret);
  expect(chunk.samples).toEqual([sample]);
  expect(chunk.toolSpans).toEqual([span]);
});

it.each([[{ ...span, id: 'call_1' }], [{ ...span, kind: 'rm -rf' }], [{ ...span, endedAt: 0 }]])(
  'refuses the tool span %j',
  (value) => {
    const chunk = { version: 1, samples: [], toolSpans: [value] };
    expect(ResourceChunk.safeParse(chunk).success).toBe(false);
  },
);

it.each([
  ['a\nb', 'ab'],
  ['x'.repeat(257), 'x'.repeat(256)],
])('trims the tool name of a chunk before it is checked', (toolName, trimmed) => {
  const chunk = { version: 1, samples: [], toolSpans: [{ ...span, toolName }] };
  expect(ResourceChunk.parse(chunk).toolSpans[0]?.toolName).toBe(trimmed);
});

it.each([
  [{ toolSpans: Array.from({ length: 4_097 }, () => span) }],
  [{ gaps: Array.from({ length: 4_097 }, () => ({ startedAt: 1, endedAt: 2, reason: 'sampler_delay' })) }],
  [{ gaps: [{ startedAt: 2, endedAt: 1, reason: 'sampler_delay' }] }],
])('refuses a chunk with too many or reversed periods', (change) => {
  const chunk = { version: 1, samples: [], toolSpans: [], ...change };
  expect(ResourceChunk.safeParse(chunk).success).toBe(false);
});

it('cuts a tool name at a whole character', () => {
  expect(boundToolName('a\u0000b')).toBe('ab');
  expect(boundToolName(`${'x'.repeat(255)}é`)).toBe('x'.repeat(255));
});

const upload = {
  workspaceId: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  sourceVersion: 1,
  chunkSequence: 0,
  startedAt: 1,
  endedAt: 2,
  sampleCount: 1,
  compressedBase64: '',
  compressedBytes: 0,
  uncompressedBytes: 0,
  sha256: '0'.repeat(64),
  completeness: { status: 'complete' },
  summary: {},
};

it.each([
  [{}, true],
  [{ taskId: null, memoryWorkingSetMeanBytes: undefined }, true],
  [{ sourceVersion: 0 }, false],
  [{ chunkSequence: -1 }, false],
  [{ compressedBytes: 2 * 2 ** 20 + 1 }, false],
  [{ uncompressedBytes: 8 * 2 ** 20 + 1 }, false],
  [{ sampleCount: 4_097 }, false],
  [{ sha256: 'ABC' }, false],
  [{ storageFormat: 'other' }, false],
  [{ runtime: 'vm' }, true],
  [{ runtime: 'other' }, false],
  [{ endedAt: 0 }, false],
  [{ gapCount: 4_097 }, false],
  [{ toolSpanCount: 4_097 }, false],
  [{ completeness: { status: 'partial', unsupported: ['memory_peak'] } }, true],
  [{ completeness: { status: 'partial', unsupported: ['/home/node/secret'] } }, false],
  [{ completeness: { status: 'complete', notes: 'x'.repeat(8_192) } }, false],
  [{ summary: { notes: 'x'.repeat(8_192) } }, false],
  [{ summary: undefined }, false],
])('checks an upload with %j', (change, valid) => {
  expect(ResourceHistoryUpload.safeParse({ ...upload, ...change }).success).toBe(valid);
});
