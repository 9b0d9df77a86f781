import type { Member } from '../../domain/projects/member.js';

export const memberView = ({ userId, role, person, joinedAt }: Member) => ({
  userId,
  role,
  status: 'active' as const,
  login: person?.login ?? null,
  name: person?.name ?? null,
  avatarUrl: person?.avatarUrl ?? null,
  joinedAt,
});
