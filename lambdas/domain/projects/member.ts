import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import type { Conditions } from '../records/conditions.js';
import type { Write } from '../records/transact.js';
import type { User } from '../users/user.js';
import { Project } from './project.js';

export const MemberRole = z.enum(['owner', 'admin', 'maintainer', 'viewer']);
export type MemberRole = z.infer<typeof MemberRole>;

/** The project's fields in a person's list, copied to each member so that the list is one query. */
export const ProjectSummary = z.pick(Project, {
  name: true,
  description: true,
  installationId: true,
  repository: true,
  defaultBranch: true,
  status: true,
  createdAt: true,
  updatedAt: true,
});

export type ProjectSummary = z.infer<typeof ProjectSummary>;

export const Member = z.object({
  projectId: Ulid,
  userId: Ulid,
  role: MemberRole,
  status: z.enum(['active', 'invited', 'suspended', 'removed']),
  project: ProjectSummary,
  /** As they were called on the code host when they joined. */
  person: z.optional(z.object({ login: z.string(), name: z.string(), avatarUrl: z.nullable(z.string()) })),
  joinedAt: z.iso.datetime(),
  /** What was sent before that lets nobody in again. */
  removedAt: z.optional(z.iso.datetime()),
  /** Since when the member's own credentials may be used in the project; absent: they may not. */
  personalCredentialsAllowedAt: z.optional(z.iso.datetime()),
  /** Variables of shared layers that the member accepts beside the member's own credentials. */
  confirmedVariables: z.optional(z.array(z.string())),
  /**
   * The owner offers the ownership to this member. Void when the member of `by` has another
   * version, because that person is no more the owner, or the owner again.
   */
  ownershipOffer: z.optional(z.object({ by: Ulid, byVersion: z.int(), expiresAt: z.iso.datetime() })),
  /** Grows with every change of role and status; absent: 0. */
  version: z.optional(z.int()),
});

export type Member = z.infer<typeof Member>;

/** Time to accept the ownership of a project. */
export const ownershipOfferMs = 7 * 24 * 60 * 60 * 1_000;

export const memberPrefix = 'MEMBER#';
export const membersOf = (projectId: string): string => `PROJECT#${projectId}`;

export const memberKey = (projectId: string, userId: string) => ({
  pk: membersOf(projectId),
  sk: `${memberPrefix}${userId}`,
});

export const memberProjects = (userId: string): string => `USER#${userId}#PROJECTS`;

export const memberItem = (member: Member) => ({
  ...memberKey(member.projectId, member.userId),
  entity: 'member',
  schemaVersion: 1,
  ownerPk: memberProjects(member.userId),
  ownerSk: member.projectId,
  ...member,
});

const viewer: readonly Capability[] = ['project:read', 'task:read', 'workspace:read'];
const maintainer: readonly Capability[] = [...viewer, 'task:write', 'workspace:write', 'secret:read'];
const admin: readonly Capability[] = [...maintainer, 'project:update', 'secret:write', 'member:manage'];
const owner: readonly Capability[] = [...admin, 'project:delete', 'project:transfer_ownership'];

/** What each role may do in a project. */
export const capabilitiesOf: Readonly<Record<MemberRole, readonly Capability[]>> = {
  owner,
  admin,
  maintainer,
  viewer,
};

/** Whether somebody may do this in a project as their membership is. */
export const may = ({ status, role }: Pick<Member, 'status' | 'role'>, capability: Capability): boolean =>
  status === 'active' && capabilitiesOf[role].includes(capability);

/** Holds of a member's item as long as they may do this. */
export const whileMay = (capability: Capability): Conditions => ({
  equals: { status: 'active' },
  oneOf: { role: MemberRole.options.filter((role) => capabilitiesOf[role].includes(capability)) },
});

export const personOf = ({ login, name, avatarUrl }: User): Member['person'] => ({ login, name, avatarUrl });

/**
 * Part of a transaction that begins something in a workspace: whose it is must be able to work in
 * its project then.
 */
export const memberCheck = ({
  projectId,
  userId,
}: {
  readonly projectId: string | null;
  readonly userId: string;
}): readonly Write[] =>
  projectId === null ? [] : [{ check: memberKey(projectId, userId), when: whileMay('workspace:write') }];

/** Capabilities of members; `capabilitiesOf` (member.ts) lists those of each role. */
export const capabilities = [
  'project:read',
  'project:update',
  'project:delete',
  'project:transfer_ownership',
  'task:read',
  'task:write',
  'workspace:read',
  'workspace:write',
  'secret:read',
  'secret:write',
  'member:manage',
] as const;
export type Capability = (typeof capabilities)[number];
