import type { McpServer } from '../../../protocol/agent-sessions.js';
import type { Table } from '../../shared/table.js';
import { type AgentSession, agentSessionChange } from '../agent-sessions/agent-session.js';
import { type ContinueDeps, continueOnNode } from '../agent-sessions/continue-on-node.js';
import { platformLayer } from '../launch/launch-layer.js';
import { restoreOnNode } from '../node-client/agent-session-calls.js';
import { transact } from '../records/transact.js';
import { issueToken } from '../tokens/issue-token.js';
import type { Waking } from './await-restore.js';

/**
 * Creates the agent sessions of a waking workspace on its node, each with a token of its own for
 * tools, and asks the node to restore the snapshot. Repeatable.
 *
 * @throws {NodeRefused | NodeUnreachable}
 */
export async function restoreSessions(
  table: Table,
  { workspace, snapshot, sessions, operationId }: Waking,
  deps: ContinueDeps,
): Promise<void> {
  const { workspaceId, userId, generation } = workspace;
  const mcpServers: Record<string, McpServer[]> = {};
  for (const session of sessions) {
    await adoptSession(table, { ...session, generation }, deps.now);
    const continued = await continueOnNode(table, { ...session, generation }, deps);
    mcpServers[session.agentSessionId] = continued.mcpServers;
  }
  const { agentSessionId, chatSessionId } = snapshot;
  const leader = sessions.find((session) => session.agentSessionId === agentSessionId);
  const claims = { sub: workspaceId, node: deps.access.address.nodeId, generation };
  const { token } = await issueToken(deps.access.keys, 'workspaceCallback', { claims, now: deps.now });
  await restoreOnNode(
    deps.access,
    { workspaceId, userId, agentSessionId },
    {
      chatSessionId,
      operationId,
      mcpServers,
      workspaceCallbackToken: token,
      agentType: leader?.agentType ?? platformLayer.agentType,
    },
  );
}

/** Its agent starts during the restore, and calls with the token of this generation. */
async function adoptSession(
  table: Table,
  { generation, ...session }: AgentSession,
  now: Date,
): Promise<void> {
  const when = { oneOf: { status: ['running'] } } as const;
  await transact(table, [
    { update: agentSessionChange(session, { set: { generation, endedBecause: null }, when, now }) },
  ]);
}
