import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findControlGroup } from '../../../agent/src/resource-history/control-group.js';
import { ResourceHistory } from '../../../agent/src/resource-history/resource-history.js';
import { ResourceSpool } from '../../../agent/src/resource-history/resource-spool.js';
import { ResourceUploader } from '../../../agent/src/resource-history/resource-uploader.js';
import { Log } from '../../../agent/src/shared/log.js';
import { baseImage, docker, hasDocker } from '../agent/docker-engine.js';
import { HistoryStage } from './history-stage.js';

describe.skipIf(!hasDocker())('the history of a real container', () => {
  let stage: HistoryStage;
  let id: string;
  let folder: string;

  beforeAll(async () => {
    stage = await HistoryStage.start();
    folder = mkdtempSync(join(tmpdir(), 'history-'));
    id = docker('run', '-d', '--init', '--network', 'none', baseImage, 'sleep', '600');
  });

  afterAll(() => {
    docker('rm', '-f', id);
    rmSync(folder, { recursive: true });
  });

  it('is collected on the node, uploaded when the workspace ends, and read', async () => {
    const chat = await stage.chat({ isTask: true });
    const { workspace, workspaceId, chatId } = chat;
    const log = new Log({ level: 'debug', format: 'json' }, () => {});
    const spool = new ResourceSpool(folder, 1_000_000);
    const send = async (_: string, body: unknown) => {
      const { projectId, upload } = body as { projectId: string; upload: object }; // As `uploadOfChunk` spools it.
      expect(projectId).toBe(stage.projectId);
      expect(await stage.upload(workspace, upload)).toMatchObject({ status: 200 });
    };
    const attribution = { projectId: stage.projectId, sessionId: chatId, taskId: chatId };
    await using history = new ResourceHistory(
      { sampleIntervalMs: 100, chunkIntervalMs: 60_000, maxSamples: 4_096, finalTimeoutMs: 10_000 },
      {
        nodeId: workspace.nodeId ?? '',
        running: () => [workspaceId],
        attribution: () => attribution,
        findGroup: async () => findControlGroup(id),
        spool,
        uploader: new ResourceUploader(spool, send, log),
        now: () => ({ wallMs: Date.now(), monotonicMs: performance.now() }),
        log,
      },
    );
    await history.sampleAll();
    await history.sendAll();
    const call = {
      sessionUpdate: 'tool_call',
      toolCallId: 'call-1',
      title: 'leak',
      kind: 'execute',
    } as const;
    history.update({ workspaceId, sessionId: 'agent' }, { sessionId: 'acp', update: call });
    docker('exec', id, 'sh', '-c', 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done');
    await history.sampleAll();
    await history.sendAll();

    await history.end(workspaceId);

    const { summary, chunks } = await stage.read('task', { taskId: chatId });
    expect(summary).toMatchObject({ taskId: chatId, nodeId: workspace.nodeId, sampleCount: 3 });
    expect(summary?.cpuPeakMillis).toBeGreaterThan(20);
    expect(summary?.memoryPeakBytes).toBeGreaterThan(100_000);
    expect(chunks).toMatchObject([{ completeness: { finalFlush: true }, toolSpanCount: 1 }]);
    const detail = await stage.read('chunk', { sessionId: chatId, chunkId: chunks[0]?.id ?? '' });
    expect(detail.samples).toHaveLength(3);
    expect(detail.toolSpans).toMatchObject([{ kind: 'execute', approximate: true }]);
    expect(JSON.stringify(detail)).not.toMatch(/leak|call-1/);
    expect(await spool.list(workspaceId)).toEqual([]);
  });
});
