import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';

/** The fields of an upload that have the content of its chunk. */
export function packed(content: unknown) {
  const text = Buffer.from(JSON.stringify(content));
  const bytes = gzipSync(text);
  return {
    compressedBase64: bytes.toString('base64'),
    compressedBytes: bytes.length,
    uncompressedBytes: text.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  };
}

/** The upload of a chunk of resource history without samples, except what it is about. */
export const emptyChunk = {
  ...{ sourceVersion: 1, chunkSequence: 1, startedAt: 1_000, endedAt: 2_000, sampleCount: 0 },
  ...packed({ version: 1, samples: [], toolSpans: [] }),
  ...{ completeness: { status: 'complete' }, summary: {} },
};
