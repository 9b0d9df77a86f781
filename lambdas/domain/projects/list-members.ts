import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../shared/table.js';
import { Member, memberPrefix, membersOf } from './member.js';

/** The active members, unordered: at most 90, which fit into one page. One table call. */
export async function listMembers(table: Table, projectId: string): Promise<readonly Member[]> {
  const { Items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'pk = :project AND begins_with(sk, :member)',
      ExpressionAttributeValues: { ':project': membersOf(projectId), ':member': memberPrefix },
      ConsistentRead: true,
    }),
  );
  return Items.map((item) => Member.parse(item)).filter(({ status }) => status === 'active');
}
