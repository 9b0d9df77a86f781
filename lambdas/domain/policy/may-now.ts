import { Member, may } from '../projects/member.js';
import { Project } from '../projects/project.js';
import type { Item } from '../records/batch-items.js';
import { type Action, actions } from './actions.js';

/** The project and the membership of a person, as they were just read; absent where there is none. */
export interface Authority {
  readonly project: Item | undefined;
  readonly member: Item | undefined;
}

/** Whether a person may do this to records of their own at this moment; nothing is written in a detached project. */
export function mayNow(action: Action, { project, member }: Authority): boolean {
  if (!project || !member) return false;
  return Project.parse(project).status === 'active' && may(Member.parse(member), actions[action].capability);
}
