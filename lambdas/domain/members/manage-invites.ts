import type { Table } from '../../shared/table.js';
import { putItem } from '../records/change-item.js';
import { inviteLimitReached } from './errors.js';
import { hashInviteToken, type Invite, inviteItem, maxInvites, newInviteToken } from './invite.js';
import { listInvites } from './list-invites.js';

export interface InviteDraft extends Pick<Invite, 'inviteId' | 'projectId' | 'role' | 'createdBy'> {
  readonly days: number;
}

/**
 * Writes an invitation; its token is in no other answer. Two table calls.
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
