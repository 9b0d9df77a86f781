import type { Table } from '../../shared/table.js';
import { capabilityMissing } from '../projects/errors.js';
import { type Member, may, memberKey, ownershipOfferMs } from '../projects/member.js';
import type { Project } from '../projects/project.js';
import { changeItem } from '../records/change-item.js';
import { transact } from '../records/transact.js';
import { memberChanged, ownershipOfferNotFound, ownershipOfferSpent } from './errors.js';
import { transferOwnership } from './transfer-ownership.js';

type OfferState = Pick<Member, 'ownershipOffer'>;

/** The offer of the present owner to this member, while it can be accepted. */
export function openOffer(
  { ownershipOffer }: OfferState,
  { userId }: Pick<Project, 'userId'>,
  now: Date,
): Member['ownershipOffer'] {
  const isOpen = ownershipOffer?.by === userId && Date.parse(ownershipOffer.expiresAt) > now.getTime();
  return isOpen ? ownershipOffer : undefined;
}

interface Offering {
  readonly project: Project;
  /** The owner. */
  readonly actor: Member;
  readonly target: Member;
  readonly now: Date;
}

/**
 * Offers the ownership to another member. Nothing else changes before that member accepts. A repeat
 * keeps the first expiry. One table call.
 *
 * @throws {memberChanged}
 */
export async function offerOwnership(
  table: Table,
  { project, actor, target, now }: Offering,
): Promise<Member> {
  if (openOffer(target, project, now)) return target;
  const expiresAt = new Date(now.getTime() + ownershipOfferMs).toISOString();
  // The version grows with each change of role: an offer of an earlier ownership is void.
  const ownershipOffer = { by: actor.userId, byVersion: actor.version ?? 0, expiresAt };
  const { projectId, userId, role } = target;
  const { committed } = await transact(table, [
    {
      update: {
        key: memberKey(projectId, userId),
        set: { ownershipOffer },
        when: { equals: { status: 'active', role } },
      },
    },
    { check: memberKey(projectId, actor.userId), when: { equals: { status: 'active', role: 'owner' } } },
  ]);
  if (!committed) throw memberChanged();
  return { ...target, ownershipOffer };
}

interface Acceptance {
  readonly project: Project;
  /** To whom the ownership was offered. */
  readonly member: Member;
  readonly now: Date;
}

/**
 * Makes the member the owner, and the owner an admin. A repeat by the new owner changes nothing.
 * One table call.
 *
 * @throws {ownershipOfferNotFound | ownershipOfferSpent | projectNameTaken | projectChanged}
 * @throws {projectRepositoryTaken | projectLimitReached}
 */
export async function acceptOwnership(table: Table, { project, member, now }: Acceptance): Promise<Member> {
  if (member.role === 'owner') return member;
  if (!member.ownershipOffer) throw ownershipOfferNotFound();
  const offer = openOffer(member, project, now);
  if (!offer) throw ownershipOfferSpent();
  return transferOwnership(table, { project, target: member, offer, now });
}

/**
 * Ends an offer: the owner cancels it, or the member declines it. A repeat changes nothing. One
 * table call.
 *
 * @throws {capabilityMissing} another member
 */
export async function endOffer(
  table: Table,
  { actor, target }: Pick<Offering, 'actor' | 'target'>,
): Promise<void> {
  const isOwn = actor.userId === target.userId;
  if (!isOwn && !may(actor, 'project:transfer_ownership'))
    throw capabilityMissing('project:transfer_ownership');
  await changeItem(table, {
    key: memberKey(target.projectId, target.userId),
    remove: ['ownershipOffer'],
    when: { exists: true },
  });
}
