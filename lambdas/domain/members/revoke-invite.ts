import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../shared/table.js';
import { inviteKey } from './invite.js';

/** A repeat finds nothing to do, as one does that comes after it was accepted. One table call. */
export async function revokeInvite(table: Table, projectId: string, inviteId: string): Promise<void> {
  await table.client.send(new DeleteCommand({ TableName: table.name, Key: inviteKey(projectId, inviteId) }));
}
