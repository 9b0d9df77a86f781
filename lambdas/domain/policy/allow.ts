import { capabilityMissing } from '../projects/errors.js';
import { type Member, may } from '../projects/member.js';
import { type Action, actions } from './actions.js';
import { notCreator } from './errors.js';

/** A member of the project, in person or by an agent that acts for them. */
export interface Person {
  readonly userId: string;
  readonly member: Pick<Member, 'status' | 'role'>;
}

/** A record that a person created. */
export interface Owned {
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
 * Returns the record if this person may do this to it.
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

/** For words of the control plane itself, made of ids and states that nobody can choose. */
export const allowSystem = <A extends Action, Subject extends Owned>(
  _action: A,
  subject: Subject,
): Allowed<A, Subject> => subject as Allowed<A, Subject>;
