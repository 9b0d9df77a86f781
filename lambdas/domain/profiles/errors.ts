import { Conflict, InvalidRequest, NotFound } from '../../shared/errors.js';
import { maxProfilesOfKind, maxVariables, type ProfileKind } from './profile-or-skill.js';

const nouns = { profile: 'Agent profile', skill: 'Skill' } as const satisfies Record<ProfileKind, string>;
const plurals = { profile: 'agent profiles', skill: 'skills' } as const satisfies Record<ProfileKind, string>;

export class ProfileNotFound extends NotFound {
  override readonly name = 'ProfileNotFound';

  constructor(kind: ProfileKind) {
    super(nouns[kind]);
  }
}

export class ProfileNameTaken extends Conflict {
  override readonly name = 'ProfileNameTaken';
  override readonly code: string;
  override readonly details: readonly { readonly field: string; readonly message: string }[];

  constructor(kind: ProfileKind) {
    const message = `The project has ${kind === 'profile' ? 'an agent profile' : 'a skill'} with this name. Choose another name.`;
    super(message);
    this.code = kind === 'profile' ? 'PROFILE_NAME_TAKEN' : 'SKILL_NAME_TAKEN';
    this.details = [{ field: 'name', message }];
  }
}

export class ProfileLimitReached extends Conflict {
  override readonly name = 'ProfileLimitReached';
  override readonly code: string;

  constructor(kind: ProfileKind) {
    super(
      `Project has ${maxProfilesOfKind} ${plurals[kind]} (limit ${maxProfilesOfKind}). Delete one that you no longer need.`,
    );
    this.code = kind === 'profile' ? 'PROFILE_LIMIT_REACHED' : 'SKILL_LIMIT_REACHED';
  }
}

export class ProfileChanged extends Conflict {
  override readonly name = 'ProfileChanged';
  override readonly code = 'VERSION_CONFLICT';

  constructor(kind: ProfileKind) {
    super(`${nouns[kind]} changed at the same time. Read it again and repeat the change.`);
  }
}

/** `why` completes the sentence "The variable ...". */
export class VariableNotAllowed extends InvalidRequest {
  constructor(variable: string, why: string) {
    const message = `${variable} cannot be set by a profile or skill: it ${why}`;
    super(message, [{ field: `environment.${variable}`, message }], 'VARIABLE_NOT_ALLOWED');
  }
}

export class TooManyVariables extends InvalidRequest {
  constructor() {
    const message = `At most ${maxVariables} variables (limit ${maxVariables}). Remove variables first.`;
    super(message, [{ field: 'environment', message }]);
  }
}
