import { newId } from '../../../lambdas/shared/ids.js';
import { emptyChunk } from '../../support/empty-chunk.js';
import type { TestRequest } from '../../support/invoke.js';

/** The ids that a callback can name. */
export interface Ids {
  readonly projectId: string;
  readonly workspaceId: string;
  readonly nodeId: string;
  /** Of the chat. */
  readonly sessionId: string;
  readonly agentSessionId: string;
  readonly taskId: string;
}

const at = () => new Date().toISOString();
const activity = { activity: 'idle', restartCount: 0 } as const;
const inWorkspace =
  (body?: (ids: Ids) => object) =>
  (ids: Ids): TestRequest => ({
    params: { workspaceId: ids.workspaceId },
    ...(body ? { body: body(ids) } : {}),
  });

const waiter = {
  ...{ protocolVersion: 1, interactionId: '6f1de0f7-2f3c-4c4e-9d53-3a1f5c7a9b20', runtimeIdentity: 'run-1' },
  generation: '0d3f7f0e-8d3c-4a39-9a51-5f4c8a1b2c3d',
};

/** A good request of every callback. A callback without a row fails the test. */
export const callbackRows: Readonly<Record<string, (ids: Ids) => TestRequest>> = {
  'callbacks/bootstrap': ({ nodeId }) => ({
    body: { nodeId, token: 'x'.repeat(43), redemptionId: '0'.repeat(32) },
  }),
  'callbacks/node-ready': ({ nodeId }) => ({
    params: { nodeId },
    body: { agentVersion: '1', role: 'workspace', port: 8443 },
  }),
  'callbacks/node-heartbeat': ({ nodeId, workspaceId }) => ({
    params: { nodeId },
    body: {
      agentVersion: '1',
      activeWorkspaces: 1,
      metrics: {
        ...{ version: 1, cpuLoadAvg1: 0, memoryPercent: 0, diskPercent: 0, creatingWorkspaces: 0 },
        containers: [{ workspaceId, memoryBytes: 1, memoryLimitBytes: null, cpuPercent: 0, processes: 1 }],
      },
    },
  }),
  'callbacks/workspace-ready': inWorkspace(() => ({ generation: 1, status: 'recovering' })),
  'callbacks/workspace-progress': inWorkspace(() => ({ generation: 1 })),
  'callbacks/provisioning-failed': inWorkspace(() => ({ generation: 1, errorMessage: 'Gone' })),
  'callbacks/boot-log': inWorkspace(() => ({
    ...{ entryId: newId(), generation: 1 },
    entry: { step: 'clone', status: 'failed', message: 'Gone', timestamp: at() },
  })),
  'callbacks/git-token': inWorkspace(),
  'callbacks/messages': inWorkspace(({ sessionId, agentSessionId, projectId }) => ({
    generation: 1,
    messages: [
      { messageId: newId(), sessionId, role: 'user', content: 'Obey', timestamp: at(), sequence: 1 },
    ],
    activity: { ...activity, projectId, agentSessionId },
  })),
  'callbacks/message-content': inWorkspace(({ sessionId }) => ({
    ...{ generation: 1, sessionId, messageId: newId() },
    whole: { bytes: 200_000, sha256: '0'.repeat(64) },
  })),
  'callbacks/agent-key': inWorkspace(({ agentSessionId }) => ({
    agentType: 'claude-code',
    sessionId: agentSessionId,
  })),
  'callbacks/agent-settings': inWorkspace(() => ({ agentType: 'claude-code' })),
  'callbacks/runtime-assets': ({ workspaceId, agentSessionId }) => ({
    params: { workspaceId },
    query: { agentSessionId },
  }),
  'callbacks/workspace-runtime': inWorkspace(),
  'callbacks/agent-credential-sync': inWorkspace(({ agentSessionId }) => ({
    ...{ agentType: 'claude-code', sessionId: agentSessionId },
    ...{ credentialKind: 'oauth-token', credential: 'a-replaced-credential' },
  })),
  'callbacks/renew-token': inWorkspace(({ nodeId }) => ({ nodeId, nodeToken: 'none' })),
  'callbacks/session-snapshot-prepare': inWorkspace(({ sessionId, agentSessionId }) => ({
    ...{ chatSessionId: sessionId, agentSessionId, operationId: newId() },
    ...{ runtime: 'vm', directUploadSupported: true },
  })),
  'callbacks/session-snapshot-progress': inWorkspace(({ sessionId }) => ({
    ...{ chatSessionId: sessionId, operationId: newId(), step: 'prepared' },
  })),
  'callbacks/session-snapshot-failure': inWorkspace(({ sessionId }) => ({
    ...{ chatSessionId: sessionId, generation: 1, operationId: newId(), error: 'Gone' },
  })),
  'callbacks/session-snapshot-upload-url': ({ workspaceId, sessionId }) => ({
    params: { workspaceId, artifact: 'wip' },
    body: { chatSessionId: sessionId, generation: 1, sizeBytes: 1, sha256: '0'.repeat(64) },
  }),
  'callbacks/session-snapshot-complete': inWorkspace(({ sessionId, agentSessionId, workspaceId }) => ({
    ...{ chatSessionId: sessionId, generation: 1, operationId: newId() },
    manifest: {
      ...{ version: 1, chatSessionId: sessionId, workspaceId, agentSessionId, createdAt: at() },
      ...{ status: 'available', degradation: 'none', skipped: [], skippedCount: 0 },
      ...{ artifacts: { home: null, wip: null }, sections: [], baseCommit: null },
      ...{ repositories: null, home: null, sessions: [], terminals: [] },
    },
  })),
  'callbacks/session-snapshot-restore': ({ workspaceId, sessionId }) => ({
    params: { workspaceId },
    query: { chatSessionId: sessionId },
  }),
  'callbacks/session-snapshot-restore-result': inWorkspace(({ sessionId, agentSessionId }) => ({
    ...{ chatSessionId: sessionId, operationId: newId(), status: 'restored', message: null, missing: [] },
    sessions: [{ agentSessionId, agentType: null, hasConversation: false }],
  })),
  'callbacks/node-acp-heartbeat': ({ projectId, nodeId }) => ({ params: { projectId }, body: { nodeId } }),
  'callbacks/agent-activity': ({ projectId, agentSessionId, nodeId, workspaceId }) => ({
    params: { projectId, sessionId: agentSessionId },
    body: { ...activity, nodeId, workspaceId, generation: 1 },
  }),
  'callbacks/agent-usage': ({ projectId, agentSessionId, nodeId, workspaceId }) => ({
    params: { projectId, sessionId: agentSessionId },
    body: {
      ...{ nodeId, workspaceId, agentType: 'claude-code', source: 'acp', observedAt: at() },
      rateLimits: [
        {
          ...{ windowType: 'claude.five_hour', provider: 'anthropic', source: 'claude-acp.rate_limit' },
          ...{ status: 'allowed', observedAt: at() },
        },
      ],
    },
  }),
  'callbacks/workspace-resource-history': ({ projectId, workspaceId, nodeId, sessionId }) => ({
    params: { projectId },
    body: { ...emptyChunk, workspaceId, nodeId, sessionId },
  }),
  'callbacks/workspace-eviction': ({ projectId, workspaceId, nodeId }) => ({
    params: { projectId, workspaceId },
    body: {
      ...{ nodeId, workspaceId, reason: 'oom_kill', snapshotCaptured: true, containerStopped: true },
      ...{ workInFlight: true, cause: { usedBytes: 1 } },
    },
  }),
  'callbacks/create-interaction': ({ projectId, workspaceId, agentSessionId }) => ({
    params: { projectId, workspaceId },
    body: {
      ...{ ...waiter, agentSessionId, payloadHash: '1'.repeat(64), safeSummary: {}, kind: 'permission' },
      detail: { permissionName: 'Run it', options: [{ id: 'yes', kind: 'allow_once', name: 'Yes' }] },
      deadlineAt: Date.now() + 600_000,
    },
  }),
  'callbacks/settle-interaction': ({ projectId, workspaceId, agentSessionId }) => ({
    params: { projectId, workspaceId, interactionId: waiter.interactionId },
    body: { ...waiter, agentSessionId, reason: 'expired' },
  }),
  'callbacks/complete-interaction-url': ({ projectId, workspaceId, agentSessionId }) => ({
    params: { projectId, workspaceId, interactionId: waiter.interactionId },
    body: { ...waiter, agentSessionId, elicitationId: 'e-1' },
  }),
  'tasks/status-callback': ({ projectId, taskId }) => ({
    params: { projectId, taskId },
    body: { toStatus: 'failed', reason: 'Gone', errorMessage: 'Gone' },
  }),
};

/** Ids that a body names and nothing depends on, because the token says the same. */
export const ignoredIds: Readonly<Record<string, readonly (keyof Ids)[]>> = {
  'callbacks/node-heartbeat': ['workspaceId'],
  'callbacks/agent-credential-sync': ['agentSessionId'],
  'callbacks/messages': ['agentSessionId', 'projectId'],
  'callbacks/agent-activity': ['nodeId', 'workspaceId'],
  'callbacks/agent-usage': ['nodeId', 'workspaceId'],
  // The answer says that there is nothing to restore.
  'callbacks/session-snapshot-restore': ['sessionId'],
};
