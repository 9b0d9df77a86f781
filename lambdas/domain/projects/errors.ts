import { Conflict, DomainError } from '../../shared/errors.js';
import { maxProjectsPerUser } from './project.js';

export class ProjectNameTaken extends Conflict {
  override readonly name = 'ProjectNameTaken';
  override readonly code = 'PROJECT_NAME_TAKEN';
  override readonly details = [{ field: 'body.name', message: 'You have a project of this name' }];

  constructor() {
    super('You have a project of this name');
  }
}

export class ProjectRepositoryTaken extends Conflict {
  override readonly name = 'ProjectRepositoryTaken';
  override readonly code = 'PROJECT_REPOSITORY_TAKEN';
  override readonly details = [
    { field: 'body.repository', message: 'You have a project of this repository' },
  ];

  constructor() {
    super('You have a project of this repository');
  }
}

export class ProjectLimitReached extends Conflict {
  override readonly name = 'ProjectLimitReached';
  override readonly code = 'PROJECT_LIMIT_REACHED';

  constructor() {
    super(`You have ${maxProjectsPerUser} projects, which is the most there may be`);
  }
}

/** Somebody else was first. */
export class ProjectChanged extends Conflict {
  override readonly name = 'ProjectChanged';
  override readonly code = 'VERSION_CONFLICT';

  constructor() {
    super('The project or its members were changed meanwhile; read it again');
  }
}

export class ProjectDetached extends Conflict {
  override readonly name = 'ProjectDetached';
  override readonly code = 'PROJECT_DETACHED';

  constructor() {
    super('The project is detached: nothing new can start in it');
  }
}

/** It is theirs, but of a project in which they may work no more. */
export class NotMemberAnyMore extends DomainError {
  override readonly name = 'NotMemberAnyMore';
  readonly kind = 'forbidden';
  readonly code = 'FORBIDDEN';

  constructor() {
    super('You may not work in the project of this workspace any more');
  }
}

/** A member, but not one who may do this. */
export class CapabilityMissing extends DomainError {
  override readonly name = 'CapabilityMissing';
  readonly kind = 'forbidden';
  readonly code = 'FORBIDDEN';

  constructor(capability: string) {
    super(`This needs the capability ${capability} in the project`);
  }
}
