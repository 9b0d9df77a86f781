import { openOffer } from '../../domain/members/ownership-offer.js';
import type { Member } from '../../domain/projects/member.js';
import type { Project } from '../../domain/projects/project.js';

interface Beside {
  readonly project: Pick<Project, 'userId'>;
  readonly now: Date;
}

export function memberView(member: Member, { project, now }: Beside) {
  const { userId, role, person, joinedAt } = member;
  const offer = openOffer(member, project, now);
  return {
    userId,
    role,
    status: 'active' as const,
    login: person?.login ?? null,
    name: person?.name ?? null,
    avatarUrl: person?.avatarUrl ?? null,
    joinedAt,
    ownershipOffer: offer ? { expiresAt: offer.expiresAt } : null,
  };
}
