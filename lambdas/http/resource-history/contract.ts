import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import {
  ResourceChunkDetail,
  ResourceHistoryAnswer,
  ResourceTimeline,
} from '../../../protocol/resource-history-reads.js';
import { maxDetailPoints } from '../../domain/resource-history/downsample.js';
import { contract } from '../../edge/contract.js';

const project = { projectId: Ulid };
/** Its parts are checked where the chunk is read. */
const ChunkId = z.string().check(z.maxLength(256), z.regex(/^wrchunk(?::[0-9A-Za-z]+)+$/));

const exampleDetail = {
  chunkId: 'wrchunk:01JD0000000000000000000000:01JD0000000000000000000001:workspace:1:1764000000000',
  samples: [{ t: 1_764_000_000_000, intervalMillis: 5_000, cpuMillis: 740, memoryBytes: 734_003_200 }],
  toolSpans: [{ id: '9f86d081884c7d65', kind: 'execute', startedAt: 1_763_999_990_000 }],
  gaps: [],
  originalSampleCount: 1,
  downsampled: false,
  downsampleLimit: maxDetailPoints,
};

const historyOf = (record: string) => ({
  summary: `Get what a ${record} used`,
  description: `\`summary\` joins all chunks of the ${record}, and is kept for 180 days; null when nothing was uploaded. \`chunks\` are the newest 24, newest first; a chunk is kept for 90 days. \`chunkId\` adds \`detail\`: the samples of that chunk, also when it is not one of the 24, at most 720 with spikes kept, and its tool calls. CPU figures are milliseconds of CPU time per second, of a sample in its interval. Samples are of the whole workspace, not of one process.`,
  query: z.strictObject({ chunkId: z.optional(ChunkId) }),
  responses: { 200: ResourceHistoryAnswer },
});

export const ofSession = contract({
  ...historyOf('chat session'),
  params: z.object({ ...project, sessionId: Ulid }),
});

export const ofTask = contract({ ...historyOf('task'), params: z.object({ ...project, taskId: Ulid }) });

export const ofWorkspace = contract({
  ...historyOf('workspace'),
  params: z.object({ ...project, workspaceId: Ulid }),
});

export const timeline = contract({
  summary: 'Get the timeline of what a chat session used',
  description:
    'All chunks that are kept, oldest first, of every workspace that the session ran in, each with its figures by minute (`rollup`). Beyond 1,000 chunks the oldest are left out and counted in `omittedChunkCount`. Without chunks, `collection` is `pending` (nothing was uploaded) or `expired` (only the summary is kept). Send `Accept-Encoding: gzip`: a long timeline has 2 MB without it.',
  params: z.object({ ...project, sessionId: Ulid }),
  responses: { 200: ResourceTimeline },
});

export const timelineChunk = contract({
  summary: 'Get the samples of one chunk',
  description:
    'At most 720 samples with spikes kept, tool calls, and gaps. 404 for a chunk of another project or session.',
  params: z.object({ ...project, sessionId: Ulid, chunkId: ChunkId }),
  answers: { 200: exampleDetail },
  responses: { 200: ResourceChunkDetail },
});
