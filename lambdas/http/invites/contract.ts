import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { InvitedRole, inviteDays } from '../../domain/members/invite.js';
import { MemberRole } from '../../domain/projects/member.js';
import { contract } from '../../edge/contract.js';

const project = z.object({ projectId: Ulid });

const Invite = z.object({
  id: Ulid,
  projectId: Ulid,
  role: InvitedRole,
  createdBy: Ulid,
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
});

export const create = contract({
  summary: 'Invite somebody to a project',
  description:
    'Whoever has the token becomes a member with this role, once, while you may invite. It is shown in this answer only: send it as a link whose fragment it is, so that no server sees it on the way.',
  params: project,
  body: z.strictObject({
    role: InvitedRole,
    expiresInDays: z._default(z.int().check(z.gte(1), z.lte(inviteDays.max)), inviteDays.default),
  }),
  responses: { 201: z.extend(Invite, { token: z.string() }) },
  errors: ['INVITE_LIMIT_REACHED'],
});

export const list = contract({
  summary: 'Invitations that can still be accepted, oldest first',
  params: project,
  responses: { 200: z.object({ invites: z.array(Invite) }) },
});

export const revoke = contract({
  summary: 'Revoke an invitation',
  description: 'Who has accepted it already stays a member.',
  params: z.extend(project, { inviteId: Ulid }),
  responses: { 200: z.object({ success: z.literal(true) }) },
});

export const accept = contract({
  summary: 'Become a member by an invitation',
  description: 'Once; a repeat of yours answers the same.',
  body: z.strictObject({ token: z.string().check(z.minLength(1), z.maxLength(200)) }),
  responses: { 200: z.object({ projectId: Ulid, name: z.string(), role: MemberRole }) },
  errors: [
    'NOT_FOUND',
    'INVITE_SPENT',
    'ALREADY_MEMBER',
    'MEMBER_LIMIT_REACHED',
    'PROJECT_DETACHED',
    'VERSION_CONFLICT',
  ],
});
