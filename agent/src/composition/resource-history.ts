import { join } from 'node:path';
import * as z from 'zod/mini';
import { ResourceHistoryUploadAnswer } from '../../../protocol/resource-history.js';
import type { LatestChat } from '../agent-sessions/session-store.js';
import { CallbackRefused } from '../control-plane/callback-errors.js';
import type { Attribution } from '../resource-history/chunk-upload.js';
import { findControlGroup } from '../resource-history/control-group.js';
import { ResourceHistory } from '../resource-history/resource-history.js';
import { ResourceSpool } from '../resource-history/resource-spool.js';
import { ResourceUploader, type SendChunk } from '../resource-history/resource-uploader.js';
import { dockerName } from '../workspaces/container/docker-names.js';
import type { Foundation } from './foundation.js';

interface HistorySources {
  readonly running: () => readonly string[];
  readonly latestChat: (workspaceId: string) => LatestChat | null;
}

/** The resource history of this node's containers; none in the standalone role. */
export function composeResourceHistory(foundation: Foundation, sources: HistorySources): ResourceHistory {
  const { config, engine, log } = foundation;
  const { spoolDir, spoolMaxBytes, uploadTimeoutMs, ...limits } = config.resourceHistory;
  const spool = new ResourceSpool(spoolDir ?? join(config.stateDir, 'resource-history'), spoolMaxBytes);
  return new ResourceHistory(
    { ...limits, finalTimeoutMs: uploadTimeoutMs },
    {
      nodeId: config.nodeId,
      running: engine ? sources.running : () => [],
      attribution: (workspaceId) => attributionOf(sources.latestChat(workspaceId)),
      findGroup: async (workspaceId) => {
        const container = await engine?.runningContainer(dockerName(workspaceId));
        return container ? findControlGroup(container.id) : null;
      },
      spool,
      uploader: new ResourceUploader(spool, senderOf(foundation), log),
      now: () => ({ wallMs: Date.now(), monotonicMs: performance.now() }),
      log,
    },
  );
}

/** The chat that began last: samples are of the container, not of one agent in it. */
function attributionOf(latest: LatestChat | null): Attribution | null {
  if (!latest) return null;
  const { projectId, chatSessionId: sessionId, taskId } = latest;
  return { projectId, sessionId, taskId };
}

const Spooled = z.object({ projectId: z.string(), upload: z.unknown() });

/** Each attempt has the token that the workspace has by then. */
function senderOf({ config, storage, controlPlane }: Foundation): SendChunk {
  return async (workspaceId, body) => {
    const spooled = Spooled.safeParse(body);
    const workspace = storage.workspaces.find(workspaceId);
    if (!spooled.success || !workspace)
      throw new CallbackRefused('', { status: 400, code: 'NOT_SENT', reason: '' });
    await controlPlane.client.post({
      path: `/api/projects/${spooled.data.projectId}/workspace-resource-history`,
      token: workspace.callbackToken,
      body: spooled.data.upload,
      answer: ResourceHistoryUploadAnswer,
      timeoutMs: config.resourceHistory.uploadTimeoutMs,
    });
  };
}
