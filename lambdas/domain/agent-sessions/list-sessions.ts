import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../shared/table.js';
import { Workspace, workspaceKey } from '../workspaces/workspace.js';
import { AgentSession, agentSessionPrefix } from './agent-session.js';

/**
 * A workspace and those of its sessions that run, newest first. One table call: they lie side by side.
 */
export async function listRunningSessions(
  table: Table,
  workspaceId: string,
): Promise<{ readonly workspace: Workspace | undefined; readonly sessions: readonly AgentSession[] }> {
  const { pk, sk } = workspaceKey(workspaceId);
  const { Items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
      FilterExpression: '#entity IN (:workspace, :session)',
      ExpressionAttributeNames: { '#entity': 'entity' },
      ExpressionAttributeValues: {
        ':pk': pk,
        ':first': agentSessionPrefix,
        ':last': sk,
        ':workspace': 'workspace',
        ':session': 'agent-session',
      },
      ScanIndexForward: false,
      ConsistentRead: true,
    }),
  );
  const found = Items.find(({ entity }) => entity === 'workspace');
  const sessions = Items.filter(({ entity }) => entity === 'agent-session').map((item) =>
    AgentSession.parse(item),
  );
  return {
    workspace: found && Workspace.parse(found),
    sessions: sessions.filter(({ status }) => status === 'running'),
  };
}
