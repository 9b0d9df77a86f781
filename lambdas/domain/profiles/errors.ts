import { Conflict, InvalidRequest, NotFound } from '../../shared/errors.js';
import { maxPresets, maxVariables, type PresetKind } from './preset.js';

const nouns = { profile: 'Agent profile', skill: 'Skill' } as const satisfies Record<PresetKind, string>;

export class PresetNotFound extends NotFound {
  override readonly name = 'PresetNotFound';

  constructor(kind: PresetKind) {
    super(nouns[kind]);
  }
}

export class PresetNameTaken extends Conflict {
  override readonly name = 'PresetNameTaken';
  override readonly code: string;
  override readonly details: readonly { readonly field: string; readonly message: string }[];

  constructor(kind: PresetKind) {
    const message = `The project has ${kind === 'profile' ? 'an agent profile' : 'a skill'} of this name`;
    super(message);
    this.code = kind === 'profile' ? 'PROFILE_NAME_TAKEN' : 'SKILL_NAME_TAKEN';
    this.details = [{ field: 'name', message }];
  }
}

export class PresetLimitReached extends Conflict {
  override readonly name = 'PresetLimitReached';
  override readonly code: string;

  constructor(kind: PresetKind) {
    super(`The project has ${maxPresets} of these, which is the most there may be`);
    this.code = kind === 'profile' ? 'PROFILE_LIMIT_REACHED' : 'SKILL_LIMIT_REACHED';
  }
}

/** Somebody else was first. */
export class PresetChanged extends Conflict {
  override readonly name = 'PresetChanged';
  override readonly code = 'VERSION_CONFLICT';

  constructor(kind: PresetKind) {
    super(`${nouns[kind]} was changed meanwhile; read it again`);
  }
}

/** `why` completes "it ...". */
export class VariableNotAllowed extends InvalidRequest {
  constructor(variable: string, why: string) {
    const message = `${variable} cannot be set by a profile or skill: it ${why}`;
    super(message, [{ field: `environment.${variable}`, message }], 'VARIABLE_NOT_ALLOWED');
  }
}

export class TooManyVariables extends InvalidRequest {
  constructor() {
    const message = `At most ${maxVariables} variables`;
    super(message, [{ field: 'environment', message }]);
  }
}
