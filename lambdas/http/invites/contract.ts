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
  summary: 'Create an invitation to a project',
  description:
    'The token makes one person a member with this role, once, while you can still invite. Only this answer contains the token. Send it as the fragment of a link, so that no server receives it.',
  params: project,
  body: z.strictObject({
    role: InvitedRole,
    expiresInDays: z._default(z.int().check(z.gte(1), z.lte(inviteDays.max)), inviteDays.default),
  }),
  responses: { 201: z.extend(Invite, { token: z.string() }) },
  errors: ['INVITE_LIMIT_REACHED'],
});

export const list = contract({
  summary: 'List the open invitations of a project, oldest first',
  description:
    'Without their tokens, which are shown only once. Accepted, revoked and expired invitations are not in the list.',
  params: project,
  responses: { 200: z.object({ invites: z.array(Invite) }) },
});

export const revoke = contract({
  summary: 'Revoke an invitation',
  description:
    'A person who has already accepted the invitation stays a member. Repeating the call changes nothing.',
  params: z.extend(project, { inviteId: Ulid }),
  responses: { 200: z.object({ success: z.literal(true) }) },
});

export const accept = contract({
  summary: 'Accept an invitation',
  description:
    'Makes you a member of the project. An invitation works once; repeating your own call returns the same answer.',
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
