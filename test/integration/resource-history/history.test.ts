import { gunzipSync } from 'node:zlib';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { getItem } from '../../../lambdas/domain/records/batch-items.js';
import {
  type ChunkName,
  chunkId,
  chunkItem,
  chunkKey,
  StoredChunk,
} from '../../../lambdas/domain/resource-history/chunk.js';
import { rollupOf } from '../../../lambdas/domain/resource-history/rollup.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { ResourceHistoryUploadAnswer } from '../../../protocol/resource-history.js';
import { ResourceTimeline } from '../../../protocol/resource-history-reads.js';
import { putItem } from '../../support/project.js';
import { begin, chunkMs, contentOf, HistoryStage, uploadOf } from './history-stage.js';

let stage: HistoryStage;
beforeAll(async () => {
  stage = await HistoryStage.start();
});

type Chat = Awaited<ReturnType<HistoryStage['chat']>>;
const answerOf = ({ body }: { readonly body: unknown }) => body as ResourceHistoryUploadAnswer;
function reservationOf({ workspace: { resolvedReservation } }: Chat) {
  const { cpuMillis, memoryMb } = resolvedReservation ?? expect.fail('It has a reservation');
  return { cpuMillis, memoryMb };
}
const ofChat = ({ chatId }: Chat) => ({ sessionId: chatId });

/** Uploads chunks of a chat, one after the other as a node does. */
async function fill(chat: Chat, numbers: readonly number[], more: Record<string, unknown> = {}) {
  for (const number of numbers) {
    const body = uploadOf(chat.workspaceId, number, { sessionId: chat.chatId, ...more });
    const reply = await stage.upload(chat.workspace, body);
    expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  }
}

describe('an uploaded chunk', () => {
  it('is shown with the chat, task and workspace of the records, whatever it claims of the agent', async () => {
    const chat = await stage.chat({ isTask: true });
    const claims = { agentProfileId: 'claimed', skillId: 'claimed', agentType: 'claimed' };
    const body = uploadOf(chat.workspaceId, 0, { sessionId: chat.chatId, ...claims });

    const reply = await stage.upload(chat.workspace, body);

    expect(stage.calls.names.length, stage.calls.names.join()).toBeLessThanOrEqual(3);
    const { projectId } = stage;
    const id = `wrchunk:${projectId}:${chat.workspaceId}:session:${chat.chatId}:1:0`;
    const summaryId = `workspace:${projectId}:${chat.workspaceId}:session:${chat.chatId}`;
    expect(reply).toMatchObject({ status: 200, body: { summaryId, chunkId: id, idempotent: false } });
    const ofTask = await stage.read('task', { taskId: chat.chatId });
    expect(ofTask.summary).toMatchObject({
      ...{ id: summaryId, sessionId: chat.chatId, taskId: chat.chatId, nodeId: chat.workspace.nodeId },
      ...{ agentProfileId: chat.profileId, skillId: null, agentType: 'claude-code', runtime: 'vm' },
      ...{ sampleCount: 180, toolSpanCount: 1, memoryPeakBytes: 1_000, cpuMeanMillis: null },
    });
    expect(ofTask.chunks).toMatchObject([{ id, sha256: body.sha256, startedAt: begin }]);
    expect(await stage.read('session', ofChat(chat))).toEqual(ofTask);
    expect(await stage.read('workspace', { workspaceId: chat.workspaceId })).toMatchObject({
      summary: { id: `workspace:${projectId}:${chat.workspaceId}:workspace`, sessionId: null },
      chunks: [{ id }],
    });
  });

  it('changes nothing when it is repeated, and conflicts with another content', async () => {
    const chat = await stage.chat();
    const body = uploadOf(chat.workspaceId, 0, { sessionId: chat.chatId });
    const first = answerOf(await stage.upload(chat.workspace, body));
    const before = await stage.stored();

    expect(answerOf(await stage.upload(chat.workspace, body))).toEqual({ ...first, idempotent: true });
    const other = uploadOf(chat.workspaceId, 0, { sessionId: chat.chatId, content: contentOf(begin, 3) });
    expect(await stage.upload(chat.workspace, other)).toMatchObject({
      status: 409,
      body: { error: 'CHUNK_CONFLICT' },
    });

    const after = await stage.stored();
    expect(after.rows).toBe(before.rows);
    expect([...after.objects.keys()]).toEqual([...before.objects.keys()]);
  });

  it('is stored once and conflicts once when two contents with one sequence arrive together', async () => {
    const chat = await stage.chat();
    const bodies = [5, 6].map((samples) =>
      uploadOf(chat.workspaceId, 0, { sessionId: chat.chatId, content: contentOf(begin, samples) }),
    );

    const replies = await Promise.all(bodies.map((body) => stage.upload(chat.workspace, body)));

    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const won = replies.findIndex(({ status }) => status === 200);
    const { chunkId: id } = answerOf(replies[won] ?? { body: {} });
    const detail = await stage.read('chunk', { ...ofChat(chat), chunkId: id });
    expect(detail.originalSampleCount).toBe(bodies[won]?.sampleCount);
  });

  it('is counted in the summary when others arrive at the same time', async () => {
    const chat = await stage.chat();
    const bodies = [0, 1, 2].map((number) => uploadOf(chat.workspaceId, number, { sessionId: chat.chatId }));

    await Promise.all(bodies.map((body) => stage.upload(chat.workspace, body)));

    const { summary, chunks } = await stage.read('session', ofChat(chat));
    expect(chunks).toHaveLength(3);
    expect(summary).toMatchObject({
      ...{ sampleCount: 540, ioReadBytes: 30, memoryPeakBytes: 1_002 },
      ...{ startedAt: begin, endedAt: begin + 3 * chunkMs },
      ...{ firstChunkId: chunks[2]?.id, latestChunkId: chunks[0]?.id },
    });
  });

  it('without a session belongs to the workspace alone', async () => {
    const { workspace, workspaceId, chatId } = await stage.chat();

    await stage.upload(workspace, uploadOf(workspaceId, 0));

    expect((await stage.read('workspace', { workspaceId })).chunks).toMatchObject([
      { id: `wrchunk:${stage.projectId}:${workspaceId}:workspace:1:0`, sessionId: null },
    ]);
    expect(await stage.read('session', { sessionId: chatId })).toEqual({ summary: null, chunks: [] });
  });

  it('is refused for what is not its own, and nothing is stored', async () => {
    const [mine, other] = [await stage.chat(), await stage.chat({ isTask: true })];
    const before = await stage.stored();
    const attempt = (fields: object, as: Parameters<HistoryStage['upload']>[2] = {}) =>
      stage.upload(mine.workspace, { ...uploadOf(mine.workspaceId, 0), ...fields }, as);
    const forbidden = (field: string) => ({ status: 403, body: { details: [{ field: `body.${field}` }] } });

    expect(await attempt({ workspaceId: other.workspaceId })).toMatchObject(forbidden('workspaceId'));
    expect(await attempt({ nodeId: other.workspace.nodeId })).toMatchObject(forbidden('nodeId'));
    expect(await attempt({ sessionId: other.chatId })).toMatchObject(forbidden('sessionId'));
    expect(await attempt({ taskId: other.chatId })).toMatchObject(forbidden('taskId'));
    expect(await attempt({ sessionId: mine.chatId, taskId: other.chatId })).toMatchObject(
      forbidden('taskId'),
    );
    expect(await attempt({}, { projectId: newId() })).toMatchObject({ status: 404 });
    expect(await attempt({}, { generation: 2 })).toMatchObject({ status: 410 });
    expect(await attempt({ sha256: '0'.repeat(64) })).toMatchObject({
      status: 400,
      body: { details: [{ field: 'body.sha256' }] },
    });
    expect(await attempt({ completeness: { status: 'complete', note: 'x'.repeat(9_000) } })).toMatchObject({
      status: 400,
      body: { details: [{ field: 'body.completeness' }] },
    });
    expect(await stage.stored()).toEqual(before);
  });

  it('has nothing but the allowed fields, in no object and no row', async () => {
    const chat = await stage.chat();
    const names = [
      ...['prompt', 'title', 'command', 'rawInput', 'arguments', 'content', 'output', 'rawOutput', 'path'],
      ...['locations', 'env', 'environment', 'secret', 'token', 'toolCallId', 'notes', 'unsupported'],
    ];
    const fed = Object.fromEntries(names.map((name) => [name, `leak-${name}`]));
    const clean = contentOf(begin, 1);
    const content = {
      ...fed,
      ...clean,
      samples: clean.samples.map((sample) => ({ ...sample, ...fed })),
      toolSpans: clean.toolSpans.map((span) => ({ ...span, ...fed })),
      gaps: [{ startedAt: 1, endedAt: 2, reason: 'sampler_delay', ...fed }],
    };
    const { unsupported: _, ...others } = fed;
    const body = uploadOf(chat.workspaceId, 0, {
      ...{ ...fed, sessionId: chat.chatId, content, agentProfileId: 'leak-profile', skillId: 'leak-skill' },
      agentType: 'leak-type',
      completeness: { status: 'partial', ...others },
      summary: { memoryPeakBytes: 1, ...fed },
    });

    const reply = await stage.upload(chat.workspace, body);

    expect(reply.status, JSON.stringify(reply.body)).toBe(200);
    const { rows, objects } = await stage.stored();
    expect(rows).toContain(chat.chatId);
    expect(rows).not.toContain('leak-');
    const texts = [...objects].map(([key, bytes]) => key + gunzipSync(bytes).toString());
    expect(texts.some((text) => text.includes(chat.workspaceId))).toBe(true);
    expect(texts.join()).not.toContain('leak-');
  });
});

describe('the history', () => {
  it('has the newest 24 chunks, newest first, and the detail of any', async () => {
    const chat = await stage.chat();
    await fill(
      chat,
      Array.from({ length: 26 }, (_, number) => number),
    );
    const { chunks, summary } = await stage.read('session', ofChat(chat));

    expect(chunks.map(({ chunkSequence }) => chunkSequence)).toEqual(
      Array.from({ length: 24 }, (_, index) => 25 - index),
    );
    const first = summary?.firstChunkId ?? '';
    const { detail } = await stage.read('session', ofChat(chat), { chunkId: first });
    expect(detail).toMatchObject({
      ...{ chunkId: first, originalSampleCount: 180, downsampled: false, downsampleLimit: 720, gaps: [] },
      toolSpans: contentOf(begin).toolSpans,
    });
    expect(detail?.samples).toEqual(contentOf(begin).samples);
    const all = await stage.read('timeline', ofChat(chat));
    expect(all).toMatchObject({ totalChunkCount: 26, omittedChunkCount: 0, maxChunks: 1_000 });
    expect(all.chunks.map(({ startedAt }) => startedAt)).toEqual(
      Array.from({ length: 26 }, (_, number) => begin + number * chunkMs),
    );
  });

  it('of a long chunk has 720 samples with its spike', async () => {
    const chat = await stage.chat();
    const content = contentOf(begin, 4_096);
    const samples = content.samples.map((sample, index) =>
      index === 2_001 ? { ...sample, cpuMillis: 40_000 } : sample,
    );
    await fill(chat, [0], { content: { ...content, samples } });
    const [chunk] = (await stage.read('session', ofChat(chat))).chunks;

    const detail = await stage.read('chunk', { ...ofChat(chat), chunkId: chunk?.id ?? '' });

    expect(detail).toMatchObject({ originalSampleCount: 4_096, downsampled: true });
    expect(detail.samples).toHaveLength(720);
    expect(detail.samples).toContainEqual(samples[2_001]);
  });

  it('of a chat joins every workspace that it ran in, with their reservations', async () => {
    const one = await stage.chat();
    const two = await stage.chat({ chatId: one.chatId });
    await fill(one, [0, 1]);
    await fill(two, [2]);

    const timeline = await stage.read('timeline', ofChat(one));

    expect(timeline).toMatchObject({ collection: 'collected', runtime: 'vm', totalChunkCount: 3 });
    expect(timeline.runs).toEqual([
      {
        ...{ workspaceId: one.workspaceId, nodeId: one.workspace.nodeId, runtime: 'vm' },
        ...{ startedAt: begin, endedAt: begin + 2 * chunkMs },
        reservation: reservationOf(one),
      },
      expect.objectContaining({ workspaceId: two.workspaceId, reservation: reservationOf(two) }),
    ]);
    expect(timeline.chunks[0]?.rollup).toMatchObject({
      ...{ v: 1, bucketMs: 60_000, samples: Array(15).fill(12) },
      toolCallStarts: [1, ...Array(14).fill(0)],
    });
    expect((await stage.read('session', ofChat(one))).summary).toMatchObject({ sampleCount: 540 });
    expect((await stage.read('workspace', { workspaceId: one.workspaceId })).chunks).toHaveLength(2);
  });

  it('is pending before the first chunk', async () => {
    const chat = await stage.chat();

    expect(await stage.read('session', ofChat(chat))).toEqual({ summary: null, chunks: [] });
    expect(await stage.read('timeline', ofChat(chat))).toMatchObject({
      ...{ collection: 'pending', runtime: null, chunks: [], runs: [], totalChunkCount: 0 },
    });
  });

  it('keeps the summary of chunks that have expired', async () => {
    const chat = await stage.chat();
    await fill(chat, [0]);
    const { chunks } = await stage.read('session', ofChat(chat));
    const { name, chunk } = await storedChunk(chat);
    await putItem(stage.table, chunkItem(name, { ...chunk, expiresAt: 1_000 }));

    const after = await stage.read('session', ofChat(chat));
    expect([after.chunks, after.summary?.sampleCount]).toEqual([[], 180]);
    expect(await stage.read('timeline', ofChat(chat))).toMatchObject({ collection: 'expired', chunks: [] });
    const asked = { ...ofChat(chat), chunkId: chunks[0]?.id ?? '' };
    expect(await stage.ask('chunk', asked)).toMatchObject({ status: 404 });
  });

  it('never shows a chunk of another project, chat or workspace, nor anything to an outsider', async () => {
    const [mine, other] = [await stage.chat({ isTask: true }), await stage.chat()];
    await fill(other, [0]);
    const id = (await stage.read('session', ofChat(other))).chunks[0]?.id ?? '';
    const notFound = { status: 404, body: { error: 'NOT_FOUND' } };

    expect(await stage.ask('chunk', { ...ofChat(mine), chunkId: id })).toMatchObject(notFound);
    const query = { chunkId: id };
    expect(await stage.ask('session', ofChat(mine), { query })).toMatchObject(notFound);
    expect(await stage.ask('task', { taskId: mine.chatId }, { query })).toMatchObject(notFound);
    const foreign = { workspaceId: mine.workspaceId };
    expect(await stage.ask('workspace', foreign, { query })).toMatchObject(notFound);
    for (const asked of [id.replace(stage.projectId, newId()), `${id}0`])
      expect(await stage.ask('session', ofChat(other), { query: { chunkId: asked } })).toMatchObject(
        notFound,
      );
    for (const malformed of ['no id', `${id}${'0'.repeat(257)}`])
      expect(await stage.ask('session', ofChat(other), { query: { chunkId: malformed } })).toMatchObject({
        status: 400,
      });
    const outside = { cookies: stage.people.outsider.cookies };
    expect(await stage.ask('session', ofChat(other), outside)).toMatchObject({ status: 404 });
    expect(await stage.ask('timeline', ofChat(other), outside)).toMatchObject({ status: 404 });
    expect(await stage.ask('session', { sessionId: newId() })).toMatchObject({ status: 404 });
  });
});

/** The row of the first chunk of a chat. */
async function storedChunk(chat: Chat): Promise<{ name: ChunkName; chunk: StoredChunk }> {
  const { projectId, table } = stage;
  const of = { projectId, workspaceId: chat.workspaceId, scope: 'session', scopeId: chat.chatId } as const;
  const name = { ...of, sourceVersion: 1, chunkSequence: 0 };
  const key = chunkKey(name);
  return { name, chunk: StoredChunk.parse(await getItem(table, key)) };
}

/** Rows of many chunks with figures that hardly compress. */
async function putChunks(chat: Chat, count: number): Promise<void> {
  const { name, chunk } = await storedChunk(chat);
  const random = (most: number) => Math.floor(Math.random() * most);
  const rows = Array.from({ length: count }, (_, index) => {
    const startedAt = begin + index * chunkMs;
    const samples = contentOf(startedAt).samples.map((sample) => ({
      ...sample,
      ...{ cpuMillis: random(20_000), memoryBytes: random(2 ** 33), memoryWorkingSetBytes: random(2 ** 33) },
      ...{ ioReadBytes: random(2 ** 20), ioWriteBytes: random(2 ** 20), oomKill: 0 },
    }));
    const period = { startedAt, endedAt: startedAt + chunkMs };
    const rollup = rollupOf({ samples, toolSpans: [] }, period);
    const next = { ...name, chunkSequence: index };
    return chunkItem(next, { ...chunk, ...period, chunkSequence: index, rollup });
  });
  for (let from = 0; from < rows.length; from += 25) {
    const requests = rows.slice(from, from + 25).map((Item) => ({ PutRequest: { Item } }));
    await stage.table.client.send(new BatchWriteCommand({ RequestItems: { [stage.table.name]: requests } }));
  }
}

describe('a long history', () => {
  it('of a day is read with two table calls', async () => {
    const chat = await stage.chat();
    await fill(chat, [0]);
    await putChunks(chat, 96);

    expect((await stage.read('timeline', ofChat(chat))).chunks).toHaveLength(96);
    expect(stage.calls.names).toHaveLength(2);
  });

  it('of more than 1,000 chunks omits the oldest, in one answer of at most 1 MB', async () => {
    const chat = await stage.chat();
    await fill(chat, [0]);
    await putChunks(chat, 1_030);

    const reply = await stage.ask('timeline', ofChat(chat), { headers: { 'accept-encoding': 'gzip' } });

    const bytes = reply.body as Buffer;
    expect(reply.headers['content-encoding']).toBe('gzip');
    expect(bytes.length).toBeLessThanOrEqual(1_000_000);
    const timeline = ResourceTimeline.parse(JSON.parse(gunzipSync(bytes).toString()));
    expect(timeline).toMatchObject({ totalChunkCount: 1_030, omittedChunkCount: 30 });
    expect(timeline.chunks).toHaveLength(1_000);
    const { name } = await storedChunk(chat);
    expect(timeline.chunks[0]?.id).toBe(chunkId({ ...name, chunkSequence: 30 }));
    expect(timeline.chunks.at(-1)?.startedAt).toBe(begin + 1_029 * chunkMs);
  });
});
