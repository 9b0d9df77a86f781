import { Conflict, InvalidRequest, NotFound } from '../../shared/errors.js';
import type { Refusal } from '../records/transact.js';
import { maxProfilesOfKind, maxVariables, type ProfileKind } from './profile-or-skill.js';

const nouns = { profile: 'Agent profile', skill: 'Skill' } as const satisfies Record<ProfileKind, string>;
const plurals = { profile: 'agent profiles', skill: 'skills' } as const satisfies Record<ProfileKind, string>;

export const profileNotFound = (kind: ProfileKind) => new NotFound(nouns[kind]);

export function profileNameTaken(kind: ProfileKind, existingId?: string) {
  const message = `Project has ${kind === 'profile' ? 'an agent profile' : 'a skill'} with this name. Choose another name.`;
  const code = kind === 'profile' ? 'PROFILE_NAME_TAKEN' : 'SKILL_NAME_TAKEN';
  return new Conflict(message, { code, details: [{ field: 'name', message, existingId }] });
}

/** The profile or skill of a claim on a name that refused a write. */
export const claimedBy = ({ item }: Refusal): string | undefined =>
  typeof item?.profileId === 'string' ? item.profileId : undefined;

export const profileLimitReached = (kind: ProfileKind) =>
  new Conflict(
    `Project has ${maxProfilesOfKind} ${plurals[kind]} (limit ${maxProfilesOfKind}). Delete one that you no longer need.`,
    { code: kind === 'profile' ? 'PROFILE_LIMIT_REACHED' : 'SKILL_LIMIT_REACHED' },
  );

export const profileChanged = (kind: ProfileKind) =>
  new Conflict(`${nouns[kind]} was changed by another request. Read it again and repeat the change.`, {
    code: 'VERSION_CONFLICT',
  });

/** `why` completes the sentence "The variable ...". */
export function variableNotAllowed(variable: string, why: string) {
  const message = `${variable} cannot be set by a profile or skill: the variable ${why}`;
  return new InvalidRequest(message, [{ field: `environment.${variable}`, message }], 'VARIABLE_NOT_ALLOWED');
}

export function tooManyVariables() {
  const message = `A profile or skill can have at most ${maxVariables} variables (limit ${maxVariables}). Remove variables first.`;
  return new InvalidRequest(message, [{ field: 'environment', message }]);
}
