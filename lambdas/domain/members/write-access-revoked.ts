import { Member, may } from '../projects/member.js';

/** A member who can no longer write in a project. */
export interface RevokedWriteAccess {
  readonly projectId: string;
  readonly userId: string;
  /** Version of the membership: distinguishes one revocation from a later one. */
  readonly version: number;
}

type Item = Readonly<Record<string, unknown>>;

/** The write access that a change of the table revoked, if any. */
export function revokedWriteAccess(
  before: Item | undefined,
  after: Item | undefined,
): RevokedWriteAccess | undefined {
  if (before?.entity !== 'member') return undefined;
  const was = Member.parse(before);
  const is = after && Member.parse(after);
  if (!may(was, 'workspace:write') || (is && may(is, 'workspace:write'))) return undefined;
  return { projectId: was.projectId, userId: was.userId, version: is?.version ?? 0 };
}
