import { capabilityMissing } from '../projects/errors.js';
import { Member, may } from '../projects/member.js';
import { Project } from '../projects/project.js';
import type { Item } from '../records/batch-items.js';
import type { Task } from '../tasks/task.js';
import { type Action, actions } from './actions.js';
import { notCreator } from './errors.js';

/** A member of the project, in person or by an agent that acts for them. */
export interface Person {
  readonly userId: string;
  readonly member: Pick<Member, 'status' | 'role'>;
}

/** A record that a person created. */
interface Owned {
  readonly userId: string;
}

declare const allowed: unique symbol;

/** A record on which this action was allowed: only the functions of this folder return one. */
export type Allowed<A extends Action, Subject> = Subject & { readonly [allowed]: A };

/** @throws {capabilityMissing} */
export function requireCapability(action: Action, { member }: Pick<Person, 'member'>): void {
  const { capability } = actions[action];
  if (!may(member, capability)) throw capabilityMissing(capability);
}

/**
 * Returns the record if the person may do the action to it.
 *
 * @throws {capabilityMissing | notCreator}
 */
export function allow<A extends Action, Subject extends Owned>(
  action: A,
  person: Person,
  subject: Subject,
): Allowed<A, Subject> {
  requireCapability(action, person);
  if (actions[action].by === 'creator' && subject.userId !== person.userId) throw notCreator(action);
  return subject as Allowed<A, Subject>;
}

/** For texts of the control plane, made of ids and states that no caller can choose. */
export const allowSystem = <A extends Action, Subject extends Owned>(
  _action: A,
  subject: Subject,
): Allowed<A, Subject> => subject as Allowed<A, Subject>;

/** The project and the membership of a person as just read, if they exist. */
interface Authority {
  readonly project: Item | undefined;
  readonly member: Item | undefined;
}

/**
 * Whether a person may do this to their own records now; nothing is written in a detached project.
 */
export function mayNow(action: Action, { project, member }: Authority): boolean {
  if (!project || !member) return false;
  return Project.parse(project).status === 'active' && may(Member.parse(member), actions[action].capability);
}

/**
 * Allows this on a task. A task that was never run is a draft that the project shares: every member
 * may change it, and the person who runs it first becomes its creator. From then on an agent works
 * on it with that person's credentials.
 *
 * @throws {CapabilityMissing | NotCreator}
 */
export function allowOnTask<A extends 'task.change' | 'task.run'>(
  action: A,
  person: Person,
  task: Task,
): Allowed<A, Task> {
  if (task.run > 0) return allow(action, person, task);
  requireCapability(action, person);
  return task as Allowed<A, Task>;
}
