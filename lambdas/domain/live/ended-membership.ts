import { Member } from '../projects/member.js';

type Item = Readonly<Record<string, unknown>>;

/** Whose membership has ended by this change: removed, suspended, or gone with the project. */
export function endedMembership(before: Item | undefined, after: Item | undefined): string | undefined {
  if (before?.entity !== 'member' || before.status !== 'active' || after?.status === 'active')
    return undefined;
  return Member.parse(before).userId;
}
