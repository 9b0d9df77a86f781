import { randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { hashText } from '../../shared/hash-text.js';
import type { MemberRole } from '../projects/member.js';

/** Of one project, open at a time. */
export const maxInvites = 50;
export const inviteDays = { default: 7, max: 30 } as const;

/** Nobody is invited to own a project. */
export const InvitedRole = z.enum(['admin', 'maintainer', 'viewer']) satisfies z.ZodMiniType<MemberRole>;

/** A way into a project for one person. The link holds the secret, the table only its hash. */
export const Invite = z.object({
  inviteId: Ulid,
  projectId: Ulid,
  role: InvitedRole,
  tokenHash: z.string(),
  createdBy: Ulid,
  createdAt: z.iso.datetime(),
  /** Epoch seconds. */
  expiresAt: z.int(),
  acceptedBy: z.optional(Ulid),
});
export type Invite = z.infer<typeof Invite>;

export const invitePrefix = 'INVITE#';
export const invitesOf = (projectId: string): string => `PROJECT#${projectId}`;

export const inviteKey = (projectId: string, inviteId: string) => ({
  pk: invitesOf(projectId),
  sk: `${invitePrefix}${inviteId}`,
});

export const inviteItem = (invite: Invite) => ({
  ...inviteKey(invite.projectId, invite.inviteId),
  entity: 'invite',
  schemaVersion: 1,
  ...invite,
});

const tokenForm = /^([0-9A-HJKMNP-TV-Z]{26})\.([0-9A-HJKMNP-TV-Z]{26})\.[\w-]{43}$/;

/** Contains the key of the invitation; only the token's hash proves the right to accept. */
export const newInviteToken = ({ projectId, inviteId }: Pick<Invite, 'projectId' | 'inviteId'>): string =>
  `${projectId}.${inviteId}.${randomBytes(32).toString('base64url')}`;

export const hashInviteToken = (token: string): string => hashText(token);

/** Which invitation it claims to be of. */
export function inviteOfToken(token: string) {
  const [, projectId, inviteId] = tokenForm.exec(token) ?? [];
  return projectId && inviteId ? { projectId, inviteId } : null;
}

export const isOpen = ({ acceptedBy, expiresAt }: Invite, now: Date): boolean =>
  acceptedBy === undefined && expiresAt > now.getTime() / 1000;
