import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../shared/table.js';
import { Invite, invitePrefix, invitesOf, isOpen } from './invite.js';

/** Invitations that somebody may still accept, oldest first. One table call: there are never many. */
export async function listInvites(table: Table, projectId: string, now: Date): Promise<readonly Invite[]> {
  const { Items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'pk = :project AND begins_with(sk, :invite)',
      ExpressionAttributeValues: { ':project': invitesOf(projectId), ':invite': invitePrefix },
      ConsistentRead: true,
    }),
  );
  return Items.map((item) => Invite.parse(item)).filter((invite) => isOpen(invite, now));
}
