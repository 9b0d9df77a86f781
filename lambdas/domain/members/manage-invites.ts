import { DeleteCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../shared/table.js';
import { putItem } from '../records/change-item.js';
import { inviteLimitReached } from './errors.js';
import {
  hashInviteToken,
  Invite,
  inviteItem,
  inviteKey,
  invitePrefix,
  invitesOf,
  isOpen,
  maxInvites,
  newInviteToken,
} from './invite.js';

interface InviteDraft extends Pick<Invite, 'inviteId' | 'projectId' | 'role' | 'createdBy'> {
  readonly days: number;
}

/**
 * Creates an invitation and returns its token, which is not stored. Two table calls.
 *
 * @throws {inviteLimitReached}
 */
export async function createInvite(
  table: Table,
  { days, ...draft }: InviteDraft,
  now: Date,
): Promise<{ readonly invite: Invite; readonly token: string }> {
  const open = await listInvites(table, draft.projectId, now);
  if (open.length >= maxInvites) throw inviteLimitReached();
  const token = newInviteToken(draft);
  const invite: Invite = {
    ...draft,
    tokenHash: hashInviteToken(token),
    createdAt: now.toISOString(),
    expiresAt: Math.floor(now.getTime() / 1000) + days * 86_400,
  };
  await putItem(table, inviteItem(invite), { exists: false });
  return { invite, token };
}

/**
 * Deletes an invitation. A repeat, or a call after the acceptance, changes nothing. One table call.
 */
export async function revokeInvite(table: Table, projectId: string, inviteId: string): Promise<void> {
  await table.client.send(new DeleteCommand({ TableName: table.name, Key: inviteKey(projectId, inviteId) }));
}

/** The open invitations of a project, oldest first. One table call: a project has at most 50. */
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
