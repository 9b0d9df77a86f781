import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';

const text = JSON.stringify({ version: 1, samples: [], toolSpans: [] });
const bytes = gzipSync(text);

/** The upload of a chunk of resource history without samples, except what it is about. */
export const emptyChunk = {
  ...{ sourceVersion: 1, chunkSequence: 1, startedAt: 1_000, endedAt: 2_000, sampleCount: 0 },
  compressedBase64: bytes.toString('base64'),
  compressedBytes: bytes.length,
  uncompressedBytes: text.length,
  sha256: createHash('sha256').update(bytes).digest('hex'),
  ...{ completeness: { status: 'complete' }, summary: {} },
};
