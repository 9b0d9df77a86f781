import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { MemberRole } from '../../domain/projects/member.js';
import { contract } from '../../edge/contract.js';

const project = z.object({ projectId: Ulid });
const one = z.extend(project, { userId: Ulid });

const Member = z.object({
  userId: Ulid,
  role: MemberRole,
  status: z.literal('active'),
  /** As they were called when they joined; null where that is not known. */
  login: z.nullable(z.string()),
  name: z.nullable(z.string()),
  avatarUrl: z.nullable(z.string()),
  joinedAt: z.iso.datetime(),
  /** The owner offers the ownership to this member, who has not accepted it yet. */
  ownershipOffer: z.nullable(z.object({ expiresAt: z.iso.datetime() })),
});

const Removed = z.object({ success: z.literal(true) });

export const list = contract({
  summary: 'List the members of a project, earliest first',
  description: 'Every member can read the list. It has one owner.',
  params: project,
  responses: { 200: z.object({ members: z.array(Member) }) },
});

export const change = contract({
  summary: "Change a member's role",
  description:
    'A project has one owner. Only the owner can give another member the role `owner`: the call offers the ownership for 7 days and returns the member with the earlier role and `ownershipOffer`. Nothing else changes before that member accepts. Repeating the call keeps the offer. A member who can no longer write loses access at once, and their running workspaces of the project are stopped.',
  params: one,
  body: z.strictObject({ role: MemberRole }),
  responses: { 200: Member },
  errors: ['LAST_OWNER', 'VERSION_CONFLICT'],
});

export const acceptOwnership = contract({
  summary: 'Accept the ownership of a project',
  description:
    'Only the member to whom the owner offers the ownership can call it. The member becomes the owner and the owner an admin; name and repository of the project count among those of the new owner. Of several offers, the first accepted one ends the others. Repeating the call changes nothing.',
  params: one,
  responses: { 200: Member },
  errors: [
    'NOT_FOUND',
    'OWNERSHIP_NOT_OFFERED_TO_YOU',
    'OWNERSHIP_OFFER_SPENT',
    'VERSION_CONFLICT',
    'PROJECT_NAME_TAKEN',
    'PROJECT_REPOSITORY_TAKEN',
    'PROJECT_LIMIT_REACHED',
  ],
});

export const endOwnershipOffer = contract({
  summary: 'Cancel or decline an offer of the ownership',
  description:
    'The owner cancels the offer to the member, or the member declines it. Repeating the call, or a call without an offer, changes nothing.',
  params: one,
  responses: { 200: Removed },
});

export const remove = contract({
  summary: 'Remove a member',
  description:
    'The rights of the member in the project end at once: calls, live sockets, and tokens of agents and terminals. The workspaces of the member are stopped; the member can still read and delete them. Repeating the call changes nothing.',
  params: one,
  responses: { 200: Removed },
  errors: ['LAST_OWNER', 'VERSION_CONFLICT'],
});

export const leave = contract({
  summary: 'Leave a project',
  description: 'Has the same effects as a removal. The owner of a project cannot leave it.',
  params: project,
  responses: { 200: Removed },
  errors: ['LAST_OWNER', 'VERSION_CONFLICT'],
});
