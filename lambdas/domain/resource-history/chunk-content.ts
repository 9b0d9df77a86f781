import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import {
  ResourceChunk,
  type ResourceHistoryUpload,
  resourceHistoryLimits,
} from '../../../protocol/resource-history.js';
import { chunkInvalid } from './errors.js';

type Uploaded = Pick<
  ResourceHistoryUpload,
  | 'compressedBase64'
  | 'compressedBytes'
  | 'uncompressedBytes'
  | 'sha256'
  | 'sampleCount'
  | 'gapCount'
  | 'toolSpanCount'
>;

export const countsOf = ({ samples, gaps = [], toolSpans }: ResourceChunk) => ({
  sampleCount: samples.length,
  gapCount: gaps.length,
  toolSpanCount: toolSpans.length,
});

/**
 * The allowed fields of an uploaded chunk.
 *
 * @throws {chunkInvalid} sizes, hash, counts or content are not as the upload states
 */
export function readContent(upload: Uploaded): ResourceChunk {
  const bytes = compressedOf(upload);
  const text = unzip(bytes);
  if (text.length !== upload.uncompressedBytes)
    throw chunkInvalid('uncompressedBytes', `The content has ${text.length} bytes`);
  const chunk = parseChunk(text);
  for (const [field, count] of Object.entries(countsOf(chunk))) {
    const claimed = upload[field as keyof ReturnType<typeof countsOf>];
    if (claimed != null && claimed !== count) throw chunkInvalid(field, `The content has ${count}`);
  }
  return chunk;
}

function compressedOf({ compressedBase64, compressedBytes, sha256 }: Uploaded): Buffer {
  const bytes = Buffer.from(compressedBase64, 'base64');
  // Node ignores characters that are not base64.
  if (bytes.toString('base64') !== compressedBase64) throw chunkInvalid('compressedBase64', 'Not base64');
  if (bytes.length !== compressedBytes)
    throw chunkInvalid('compressedBytes', `The content has ${bytes.length} bytes`);
  if (createHash('sha256').update(bytes).digest('hex') !== sha256)
    throw chunkInvalid('sha256', 'The content has another SHA-256');
  return bytes;
}

/** Stops at the limit, so that a small chunk cannot fill the memory. */
function unzip(bytes: Buffer): Buffer {
  const { uncompressedBytes } = resourceHistoryLimits;
  try {
    return gunzipSync(bytes, { maxOutputLength: uncompressedBytes });
  } catch (error) {
    const isTooLarge = error instanceof RangeError;
    throw chunkInvalid(
      'compressedBase64',
      isTooLarge ? `Has more than ${uncompressedBytes} bytes uncompressed` : 'Not gzip',
    );
  }
}

function parseChunk(text: Buffer): ResourceChunk {
  const read = ResourceChunk.safeParse(jsonOf(text));
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const at = (issue?.path ?? []).map(String).join('.');
  throw chunkInvalid('compressedBase64', `Invalid at ${at || 'the top'}`);
}

function jsonOf(text: Buffer): unknown {
  try {
    return JSON.parse(text.toString('utf8'));
  } catch {
    throw chunkInvalid('compressedBase64', 'Not JSON');
  }
}

/** The stored form of a chunk: only its allowed fields. */
export const packContent = (chunk: ResourceChunk): Uint8Array => gzipSync(JSON.stringify(chunk));

export const unpackContent = (bytes: Uint8Array): ResourceChunk =>
  ResourceChunk.parse(
    JSON.parse(
      gunzipSync(bytes, { maxOutputLength: resourceHistoryLimits.uncompressedBytes }).toString('utf8'),
    ),
  );
