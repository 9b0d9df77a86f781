import { Member, may } from '../projects/member.js';

/** Who may work in which project no more. */
export interface LostWork {
  readonly projectId: string;
  readonly userId: string;
  /** Of their membership: a later loss is another one. */
  readonly version: number;
}

type Item = Readonly<Record<string, unknown>>;

/** What a change of the table took from a member; nothing for most. */
export function lostWork(before: Item | undefined, after: Item | undefined): LostWork | undefined {
  if (before?.entity !== 'member') return undefined;
  const was = Member.parse(before);
  const is = after && Member.parse(after);
  if (!may(was, 'workspace:write') || (is && may(is, 'workspace:write'))) return undefined;
  return { projectId: was.projectId, userId: was.userId, version: is?.version ?? 0 };
}
