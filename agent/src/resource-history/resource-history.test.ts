import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ResourceChunk, ResourceHistoryUpload } from '../../../protocol/resource-history.js';
import { CallbackUnavailable } from '../control-plane/callback-errors.js';
import { Log } from '../shared/log.js';
import type { Attribution } from './chunk-upload.js';
import { ResourceHistory } from './resource-history.js';
import { ResourceSpool } from './resource-spool.js';
import { ResourceUploader } from './resource-uploader.js';

const workspaceId = '01JZZZZZZZZZZZZZZZZZZZZZZA';
const [projectId, nodeId] = ['01JZZZZZZZZZZZZZZZZZZZZZZP', '01JZZZZZZZZZZZZZZZZZZZZZZN'];
const chat = (sessionId: string): Attribution => ({ projectId, sessionId, taskId: null });
const [first, second] = [chat('01JZZZZZZZZZZZZZZZZZZZZZZ1'), chat('01JZZZZZZZZZZZZZZZZZZZZZZ2')];
const session = { workspaceId, sessionId: 'agent' };

let folder: string;
let spool: ResourceSpool;
let history: ResourceHistory;
let running: string[];
let attribution: Attribution | null;
let clock: number;
let isReachable: boolean;
let hasEnded: boolean;
let sent: ResourceHistoryUpload[];
let answer: Promise<void>;
let reads: number;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'history-'));
  [running, attribution, clock, isReachable, hasEnded, sent] = [[workspaceId], first, 0, true, false, []];
  [answer, reads] = [Promise.resolve(), 0];
  spool = new ResourceSpool(folder, 1_000_000);
  history = begin();
});
afterEach(async () => {
  await history[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

function begin(sampleIntervalMs = 5_000): ResourceHistory {
  const log = new Log({ level: 'debug', format: 'json' }, () => {});
  const send = async (_: string, body: unknown) => {
    await answer;
    if (!isReachable) throw new CallbackUnavailable('not now');
    // The schema checks the upload below.
    const { upload, ...path } = body as { upload: unknown; projectId: string };
    expect(path).toEqual({ projectId });
    sent.push(ResourceHistoryUpload.parse(upload));
  };
  let cpuMillis = 0;
  const figures = () => {
    cpuMillis += 1_000;
    reads += 1;
    return { cpuMillis, memoryBytes: 4_096, ioReadBytes: 0, ioWriteBytes: 0, oom: 0, oomKill: 0 };
  };
  return new ResourceHistory(
    { sampleIntervalMs, chunkIntervalMs: 15_000, maxSamples: 4_096, finalTimeoutMs: 1_000 },
    {
      nodeId,
      running: () => running,
      attribution: () => attribution,
      findGroup: async () => ({
        source: 'cgroup-v2',
        read: () => (hasEnded ? null : figures()),
        processes: () => [],
      }),
      spool,
      uploader: new ResourceUploader(spool, send, log),
      now: () => ({ wallMs: 1_764_000_000_000 + clock, monotonicMs: clock }),
      log,
    },
  );
}

async function ticks(count: number): Promise<void> {
  for (let tick = 0; tick < count; tick += 1) {
    await history.sampleAll();
    await history.sendAll();
    clock += 5_000;
  }
}

const contentOf = ({ compressedBase64 }: ResourceHistoryUpload) =>
  ResourceChunk.parse(JSON.parse(gunzipSync(Buffer.from(compressedBase64, 'base64')).toString()));
const [chunkOf, countsOf] = [
  (index: number) => sent[index] ?? expect.fail(`Chunk ${index} was not sent`),
  () => sent.map(({ sampleCount }) => sampleCount),
];

it('sends a chunk when its time has passed, with samples and tool calls', async () => {
  const update = { sessionUpdate: 'tool_call', toolCallId: 'x', title: 'leak', status: 'completed' } as const;
  await ticks(1);
  history.update(session, { sessionId: 'acp', update });
  await ticks(3);

  expect(countsOf()).toEqual([4]);
  expect(chunkOf(0)).toMatchObject({
    ...{ workspaceId, nodeId, sessionId: first.sessionId, taskId: null, sourceVersion: 1 },
    ...{ startedAt: 1_764_000_000_000, endedAt: 1_764_000_015_000, toolSpanCount: 1, gapCount: 0 },
    summary: { cpuMeanMillis: 200, memoryMeanBytes: 4_096 },
    completeness: { finalFlush: false, source: 'cgroup-v2' },
  });
  const content = contentOf(chunkOf(0));
  expect(content.samples.map(({ cpuMillis }) => cpuMillis)).toEqual([undefined, 1_000, 1_000, 1_000]);
  expect(content.toolSpans).toMatchObject([{ kind: 'acp_tool_call' }]);
  expect(JSON.stringify(content)).not.toContain('leak');
});

it('sends the last chunk at once when the workspace ends, and no sample after it', async () => {
  await ticks(2);

  running = [];
  await history.end(workspaceId);
  await ticks(3);

  expect(countsOf()).toEqual([3]);
  expect(chunkOf(0).completeness.finalFlush).toBe(true);
});

it('begins another chunk for another chat', async () => {
  await ticks(2);
  attribution = second;
  await ticks(1);
  await history.end(workspaceId);

  expect(sent.map(({ sessionId }) => sessionId)).toEqual([first.sessionId, second.sessionId]);
  expect(countsOf()).toEqual([2, 2]);
});

it('samples nothing of a workspace without a chat', async () => {
  attribution = null;
  await ticks(5);
  await history.end(workspaceId);

  expect(sent).toEqual([]);
});

it('ends a chunk with its container and begins with the next container', async () => {
  await ticks(2);
  hasEnded = true;
  await ticks(2);
  hasEnded = false;
  await ticks(1);
  await history.end(workspaceId);

  expect(countsOf()).toEqual([2, 2]);
});

it('sends after an outage and a restart what was collected before, in order', async () => {
  isReachable = false;
  await ticks(9);
  await history[Symbol.asyncDispose]();
  isReachable = true;
  history = begin();
  clock += 600_000;
  await ticks(1);

  expect(countsOf()).toEqual([4, 4, 2]);
  const sequences = sent.map(({ chunkSequence }) => chunkSequence);
  expect(sequences).toEqual(sequences.toSorted((one, other) => one - other));
  expect(await spool.list(workspaceId)).toEqual([]);
});

it('samples while the control plane does not answer', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  answer = promise;
  history = begin(1);
  for (const at of [0, 5_000, 10_000, 15_000]) {
    clock = at;
    await history.sampleAll();
  }
  history.start();
  await vi.waitFor(() => expect(reads).toBeGreaterThan(10));
  expect(sent).toEqual([]);
  resolve();
  await vi.waitFor(() => expect(countsOf()[0]).toBe(4));
});

it('drops what is left of a deleted workspace', async () => {
  isReachable = false;
  await ticks(4);

  await history.remove(workspaceId);

  expect(await spool.workspaces()).toEqual([]);
});
