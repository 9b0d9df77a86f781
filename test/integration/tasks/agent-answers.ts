import { newId } from '../../../lambdas/shared/ids.js';
import type { NodeRequest } from '../workspaces/node-stub.js';

const at = '2026-11-21T10:00:00.000Z';

/** What the agent of a node says of agent sessions. */
export function agentAnswers({ method, path, body }: NodeRequest) {
  if (path.endsWith('/agent-capabilities')) {
    return {
      status: 200,
      body: {
        protocolVersion: 1,
        runtimeIdentity: 'one',
        promptReceipts: { supported: true, lookup: true, states: ['accepted'] },
      },
    };
  }
  if (path.endsWith('/start')) {
    const receipt = { deliveryId: body.deliveryId, state: 'in_flight', runtimeIdentity: 'one' };
    return {
      status: 202,
      body: { status: 'accepted', sessionId: 's', receipt: { ...receipt, acceptedAt: 1, completedAt: null } },
    };
  }
  if (method !== 'POST' || !path.endsWith('/agent-sessions')) return undefined;
  return {
    status: 201,
    body: {
      ...{ id: body.sessionId, workspaceId: newId(), status: 'running', hostStatus: 'idle', viewerCount: 0 },
      ...{ label: null, agentType: null, acpSessionId: null, lastPrompt: null, errorMessage: null },
      ...{ createdAt: at, updatedAt: at, stoppedAt: null, suspendedAt: null },
    },
  };
}
