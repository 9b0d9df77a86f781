import { randomUUID } from 'node:crypto';
import { newId } from '../../../lambdas/shared/ids.js';
import { agentTypes } from '../../../protocol/agent-sessions.js';
import { emptyChunk } from '../../support/empty-chunk.js';
import { linkNames, type Tenant } from './tenants.js';

interface HostileCalls {
  /** Bodies, the first as an honest agent would send it; the others name what is the victim's. */
  readonly bodies?: (own: Tenant, victim: Tenant) => readonly unknown[];
  readonly queries?: (own: Tenant, victim: Tenant) => readonly Readonly<Record<string, string>>[];
  /** The honest call cannot succeed here, where there is no code host and no object store. */
  readonly needsOutside?: true;
  /** Kinds of shared records that it may change, and why. */
  readonly declared?: Readonly<Record<string, string>>;
}

const at = '2026-11-22T10:00:00.000Z';
const generations = [1, 0, 2];
const both = (own: Tenant, victim: Tenant, body: (of: Tenant) => unknown) => [body(own), body(victim)];

const message = (sessionId: string, messageId: string) => ({
  ...{ messageId, sessionId, role: 'assistant', content: 'I was here', timestamp: at },
  ...{ sequence: 1, origin: 'user' },
});
const activityOf = (of: Tenant) => ({
  ...{ activity: 'idle', restartCount: 0, projectId: of.projectId, agentSessionId: of.agentSessionId },
});
const whole = { bytes: 200_000, sha256: '0'.repeat(64) };
const window = {
  ...{ windowType: 'claude.seven_day', provider: 'anthropic', source: 'claude-acp.rate_limit' },
  // Older figures are refused.
  ...{ status: 'rejected', observedAt: new Date().toISOString() },
};

const preparationOf = ({ chatId: chatSessionId, agentSessionId, claimId: operationId }: Tenant) => ({
  ...{ chatSessionId, agentSessionId, operationId, runtime: 'vm', directUploadSupported: true },
});

const completion = ({ chatId: chatSessionId, agentSessionId, workspaceId, claimId }: Tenant) => ({
  ...{ chatSessionId, generation: 1, operationId: claimId },
  manifest: {
    ...{ version: 1, chatSessionId, workspaceId, agentSessionId, createdAt: at },
    ...{ status: 'available', degradation: 'none', skipped: [], skippedCount: 0 },
    ...{ artifacts: { home: null, wip: null }, sections: [], baseCommit: null },
    ...{ repositories: null, home: null, sessions: [], terminals: [] },
  },
});

const evictionOf = ({ nodeId, workspaceId }: Tenant) => ({
  ...{ nodeId, workspaceId, reason: 'oom_kill', snapshotCaptured: true, containerStopped: true },
  workInFlight: true,
});

const waiterOf = ({ interactionId, agentSessionId }: Tenant) => {
  const { generation, runtimeIdentity } = linkNames;
  return { protocolVersion: 1, interactionId, agentSessionId, generation, runtimeIdentity };
};
const permission = {
  kind: 'permission',
  detail: { permissionName: 'Run it', options: [{ id: 'yes', kind: 'allow_once', name: 'Allow' }] },
};
const requestOf = (of: Tenant, interactionId: string) => ({
  ...{ ...waiterOf(of), interactionId, payloadHash: '1'.repeat(64), safeSummary: {}, ...permission },
  deadlineAt: Date.now() + 600_000,
});

/** Hostile calls of a workspace or node against others, by route of node agents. */
export const hostileCalls: Readonly<Record<string, HostileCalls>> = {
  'callbacks/node-ready': {
    bodies: () => [
      { agentVersion: '9', role: 'workspace', port: 8443 },
      { agentVersion: '9', role: 'standalone', port: 1, certificatePem: 'evil' },
    ],
  },
  'callbacks/node-heartbeat': {
    bodies: (_, { workspaceId }) => [
      { agentVersion: '9', activeWorkspaces: 1 },
      {
        ...{ agentVersion: '9', activeWorkspaces: 0 },
        metrics: {
          ...{ version: 1, cpuLoadAvg1: 9, memoryPercent: 99, diskPercent: 99, creatingWorkspaces: 0 },
          containers: [
            { workspaceId, memoryBytes: 1, memoryLimitBytes: null, cpuPercent: 100, processes: 1 },
          ],
        },
      },
    ],
  },
  'callbacks/workspace-ready': {
    bodies: () =>
      ['running', 'recovering'].flatMap((status) =>
        generations.map((generation) => ({ generation, status })),
      ),
  },
  'callbacks/workspace-progress': { bodies: () => generations.map((generation) => ({ generation })) },
  'callbacks/provisioning-failed': {
    bodies: () => generations.map((generation) => ({ generation, errorMessage: 'It is lost' })),
  },
  'callbacks/boot-log': {
    bodies: (_, victim) =>
      [newId(), victim.entryId].map((entryId) => ({
        ...{ entryId, generation: 1 },
        entry: { step: 'evil', status: 'failed', message: 'It is lost', timestamp: at },
      })),
  },
  'callbacks/git-token': { needsOutside: true },
  'callbacks/messages': {
    bodies: (own, victim) => [
      { generation: 1, messages: [message(own.chatId, newId())] },
      { generation: 1, messages: [message(victim.chatId, newId())] },
      { generation: 1, messages: [message(own.chatId, newId()), message(victim.chatId, newId())] },
      { generation: 1, messages: [message(own.chatId, newId())], activity: activityOf(victim) },
      { generation: 1, messages: [message(own.chatId, newId())], activity: activityOf(own) },
      { generation: 1, streamId: victim.nodeId, messages: [message(own.chatId, victim.entryId)] },
    ],
  },
  'callbacks/message-content': {
    needsOutside: true,
    bodies: (own, victim) =>
      both(own, victim, ({ chatId: sessionId }) => ({
        ...{ generation: 1, sessionId, messageId: newId(), whole },
      })),
  },
  'tasks/status-callback': {
    bodies: () => [
      { toStatus: 'in_progress', executionStep: 'running' },
      { executionStep: 'awaiting_followup', outputSummary: 'Mine now', outputBranch: 'svc/mine' },
      { toStatus: 'failed', reason: 'It is lost', errorMessage: 'It is lost' },
      { toStatus: 'completed', outputPrUrl: 'https://evil.example/pull/1' },
    ],
  },
  'callbacks/node-acp-heartbeat': {
    bodies: (own, victim) => both(own, victim, ({ nodeId }) => ({ nodeId })),
  },
  'callbacks/agent-activity': {
    bodies: (own, victim) => [
      ...both(own, victim, ({ nodeId, workspaceId }) => ({
        ...{ nodeId, workspaceId, generation: 1, activity: 'error', restartCount: 3, statusError: 'Lost' },
      })),
      {
        ...{ nodeId: own.nodeId, workspaceId: victim.workspaceId, generation: 1 },
        ...{ activity: 'idle', restartCount: 0 },
      },
    ],
  },
  'callbacks/agent-usage': {
    bodies: (own, victim) =>
      both(own, victim, ({ nodeId, workspaceId }) => ({
        ...{ nodeId, workspaceId, agentType: 'claude-code', source: 'go', observedAt: at },
        rateLimits: [window],
      })),
    declared: { 'credential-usage': 'what any session saw of the limits of the credential it was given' },
  },
  'callbacks/workspace-resource-history': {
    bodies: (own, victim) => [
      ...both(own, victim, ({ workspaceId, nodeId, chatId: sessionId }) => ({
        ...emptyChunk,
        ...{ workspaceId, nodeId, sessionId },
      })),
      ...[{ sessionId: victim.chatId }, { taskId: victim.taskId }, { nodeId: victim.nodeId }].map(
        (named) => ({ ...emptyChunk, workspaceId: own.workspaceId, ...named }),
      ),
    ],
  },
  'callbacks/workspace-eviction': {
    // Their workspaces run, and no node has captured one to evict it.
    needsOutside: true,
    bodies: (own, victim) => [
      ...both(own, victim, evictionOf),
      { ...evictionOf(own), nodeId: victim.nodeId },
      { ...evictionOf(own), workspaceId: victim.workspaceId },
    ],
  },
  'callbacks/create-interaction': {
    bodies: (own, victim) => [
      ...both(own, victim, (of) => requestOf(of, randomUUID())),
      requestOf(own, victim.interactionId),
    ],
  },
  'callbacks/settle-interaction': {
    bodies: (own, victim) => both(own, victim, (of) => ({ ...waiterOf(of), reason: 'wrapper_cancelled' })),
  },
  'callbacks/complete-interaction-url': {
    bodies: (own, victim) =>
      both(own, victim, (of) => ({ ...waiterOf(of), elicitationId: linkNames.elicitationId })),
  },
  'callbacks/agent-key': {
    bodies: (own, victim) =>
      agentTypes.flatMap((agentType) =>
        both(own, victim, ({ agentSessionId: sessionId }) => ({ agentType, sessionId })),
      ),
  },
  'callbacks/agent-settings': { bodies: () => agentTypes.map((agentType) => ({ agentType })) },
  'callbacks/runtime-assets': {
    queries: (own, victim) => [{}, ...[own, victim].map(({ agentSessionId }) => ({ agentSessionId }))],
  },
  'callbacks/workspace-runtime': {},
  'callbacks/session-snapshot-prepare': {
    bodies: (own, victim) => [
      ...both(own, victim, preparationOf),
      // The claim of an eviction, which the node makes itself.
      ...both(own, victim, (of) => ({
        ...{ ...preparationOf(of), operationId: newId(), eviction: { reason: 'oom_kill' } },
      })),
    ],
  },
  'callbacks/session-snapshot-progress': {
    bodies: (own, victim) =>
      both(own, victim, ({ chatId: chatSessionId, claimId: operationId }) => ({
        ...{ chatSessionId, operationId, step: 'prepared' },
      })),
  },
  'callbacks/session-snapshot-failure': {
    bodies: (own, victim) =>
      both(own, victim, ({ chatId: chatSessionId, claimId: operationId }) => ({
        ...{ chatSessionId, operationId, generation: 1, error: 'It is lost' },
      })),
  },
  'callbacks/session-snapshot-upload-url': {
    bodies: (own, victim) =>
      both(own, victim, ({ chatId: chatSessionId }) => ({
        ...{ chatSessionId, generation: 1, sizeBytes: 1, sha256: '0'.repeat(64) },
      })),
  },
  'callbacks/session-snapshot-complete': {
    bodies: (own, victim) => both(own, victim, completion),
  },
  'callbacks/session-snapshot-restore': {
    queries: (own, victim) => [own, victim].map(({ chatId }) => ({ chatSessionId: chatId })),
  },
  'callbacks/session-snapshot-restore-result': {
    // Their workspaces fall asleep, and do not wake.
    needsOutside: true,
    bodies: (own, victim) =>
      both(own, victim, ({ chatId: chatSessionId, agentSessionId, claimId: operationId }) => ({
        ...{ chatSessionId, operationId, status: 'restored', message: null, missing: [] },
        sessions: [{ agentSessionId, agentType: 'claude-code', hasConversation: true }],
      })),
  },
  'callbacks/agent-credential-sync': {
    bodies: (own, victim) =>
      (['claude-code', 'openai-codex', 'opencode'] as const).flatMap((agentType) =>
        (['oauth-token', 'api-key'] as const).flatMap((credentialKind) =>
          both(own, victim, ({ agentSessionId: sessionId }) => ({
            ...{ agentType, sessionId, credentialKind, credential: '{"refresh":"of-the-attacker"}' },
          })),
        ),
      ),
  },
  'callbacks/renew-token': {
    bodies: (own, victim) => [
      { nodeId: own.nodeId, nodeToken: own.tokens[1] },
      { nodeId: victim.nodeId, nodeToken: own.tokens[1] },
      { nodeId: own.nodeId, nodeToken: own.tokens[0] },
    ],
  },
};
