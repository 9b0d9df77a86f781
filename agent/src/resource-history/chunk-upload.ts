import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import {
  type ResourceChunk,
  type ResourceHistoryUpload,
  resourceHistoryFormat,
} from '../../../protocol/resource-history.js';
import { summaryOf, unsupportedIn } from './chunk-summary.js';
import type { ControlGroup } from './control-group.js';

/** The chat that a workspace works for. */
export interface Attribution {
  readonly projectId: string;
  readonly sessionId: string;
  readonly taskId: string | null;
}

export interface CollectedChunk {
  readonly workspaceId: string;
  readonly nodeId: string;
  readonly attribution: Attribution;
  readonly source: ControlGroup['source'];
  readonly content: ResourceChunk;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly sampleIntervalMs: number;
  /** The workspace ends. */
  readonly isFinal: boolean;
}

/** The spooled form: the upload, and the project whose path it is sent to. */
interface SpooledUpload {
  readonly projectId: string;
  readonly upload: ResourceHistoryUpload;
}

/** The upload of a chunk. The control plane reads profile, skill and agent from its own records. */
export function uploadOfChunk(chunk: CollectedChunk, chunkSequence: number): SpooledUpload {
  const { content, attribution, workspaceId, nodeId, startedAt, endedAt, source, isFinal } = chunk;
  const { projectId, sessionId, taskId } = attribution;
  const { samples, gaps = [], toolSpans } = content;
  const text = Buffer.from(JSON.stringify(content));
  const bytes = gzipSync(text);
  const unsupported = unsupportedIn(samples);
  return {
    projectId,
    upload: {
      ...{ workspaceId, nodeId, sessionId, taskId, runtime: 'vm', sourceVersion: 1, chunkSequence },
      ...{ startedAt, endedAt: Math.max(startedAt, endedAt) },
      sampleCount: samples.length,
      gapCount: gaps.length,
      toolSpanCount: toolSpans.length,
      compressedBase64: bytes.toString('base64'),
      compressedBytes: bytes.length,
      uncompressedBytes: text.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      storageFormat: resourceHistoryFormat,
      completeness: {
        status: unsupported.length + gaps.length > 0 ? 'partial' : 'complete',
        finalFlush: isFinal,
        ...(unsupported.length > 0 ? { unsupported } : {}),
        nodeLossMayLoseUnflushedWindow: true,
        source,
      },
      summary: summaryOf(samples, chunk.sampleIntervalMs),
    },
  };
}
