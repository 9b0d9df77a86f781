import type { Invite } from '../../domain/members/invite.js';

/** Without anything of its token. */
export const inviteView = ({ inviteId, projectId, role, createdBy, createdAt, expiresAt }: Invite) => ({
  id: inviteId,
  projectId,
  role,
  createdBy,
  createdAt,
  expiresAt: new Date(expiresAt * 1000).toISOString(),
});
