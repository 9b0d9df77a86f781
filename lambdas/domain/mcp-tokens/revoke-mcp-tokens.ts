import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../shared/table.js';
import { deleteItems } from '../records/delete-items.js';
import { McpToken, mcpTokenKey, mcpTokenPrefix } from './mcp-token.js';

export interface Revocation {
  readonly workspaceId: string;
  /** Only the tokens of this session; without it those of the whole workspace. */
  readonly agentSessionId?: string;
}

/** Takes the tokens away from agents of a workspace, at once. Repeatable. Two table calls, or one if there are none. */
export async function revokeMcpTokens(
  table: Table,
  { workspaceId, agentSessionId }: Revocation,
): Promise<void> {
  const { Items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :tokens)',
      ExpressionAttributeValues: { ':pk': mcpTokenKey(workspaceId, '').pk, ':tokens': mcpTokenPrefix },
      ConsistentRead: true,
    }),
  );
  const tokens = Items.map((item) => McpToken.parse(item)).filter(
    (token) => agentSessionId === undefined || token.agentSessionId === agentSessionId,
  );
  await deleteItems(
    table,
    tokens.map(({ tokenHash }) => mcpTokenKey(workspaceId, tokenHash)),
  );
}
