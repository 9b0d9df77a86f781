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
});

const Removed = z.object({ success: z.literal(true) });

export const list = contract({
  summary: 'Members of a project, who joined first first',
  params: project,
  responses: { 200: z.object({ members: z.array(Member) }) },
});

export const change = contract({
  summary: "Change a member's role",
  description:
    'A project has one owner. To make another member owner is to hand the project over: only its owner can, and is an admin then. Who may no longer write loses at once what they have running in the project.',
  params: one,
  body: z.strictObject({ role: MemberRole }),
  responses: { 200: Member },
  errors: [
    'LAST_OWNER',
    'VERSION_CONFLICT',
    'PROJECT_NAME_TAKEN',
    'PROJECT_REPOSITORY_TAKEN',
    'PROJECT_LIMIT_REACHED',
  ],
});

export const remove = contract({
  summary: 'Remove a member',
  description:
    'Their rights in the project end at once: calls, live sockets, tokens of agents and terminals. Their workspaces of the project are stopped and stay theirs to look at and delete. A repeat answers the same.',
  params: one,
  responses: { 200: Removed },
  errors: ['LAST_OWNER', 'VERSION_CONFLICT'],
});

export const leave = contract({
  summary: 'Leave a project',
  description: 'As if you were removed. Its owner cannot.',
  params: project,
  responses: { 200: Removed },
  errors: ['LAST_OWNER', 'VERSION_CONFLICT'],
});
