import {
  AnswerInteractionResult,
  type InteractionDecision,
  interactionProtocolVersion,
} from '../../../protocol/interactions.js';
import type { AgentSession } from '../agent-sessions/agent-session.js';
import { callNode } from './call-node.js';
import { managementToken, type NodeAccess } from './node-access.js';

interface Answer {
  readonly interaction: {
    readonly interactionId: string;
    readonly generation: string;
    readonly runtimeIdentity: string;
  };
  readonly decision: InteractionDecision;
}

/** Brings the answer of a person to the agent. 200 and 409 alike: the status says which. */
export async function answerOnNode(
  access: NodeAccess,
  subject: Pick<AgentSession, 'workspaceId' | 'agentSessionId' | 'userId'>,
  { interaction: { interactionId, generation, runtimeIdentity }, decision }: Answer,
): Promise<AnswerInteractionResult> {
  const { workspaceId, agentSessionId } = subject;
  const waiter = { protocolVersion: interactionProtocolVersion, interactionId, generation, runtimeIdentity };
  return callNode(access.address, {
    method: 'POST',
    path: `/workspaces/${workspaceId}/agent-sessions/${agentSessionId}/interactions/${interactionId}/answer`,
    workspaceId,
    body: { ...waiter, decision },
    token: await managementToken(access, subject),
    timeoutMs: access.timeoutMs,
    reply: AnswerInteractionResult,
    replyStatuses: [409],
  });
}
