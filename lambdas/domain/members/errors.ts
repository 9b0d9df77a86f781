import { Conflict, Gone, NotFound } from '../../shared/errors.js';
import { maxMembers } from '../projects/project.js';
import { maxInvites } from './invite.js';

export class MemberNotFound extends NotFound {
  override readonly name = 'MemberNotFound';

  constructor() {
    super('Member');
  }
}

export class InviteNotFound extends NotFound {
  override readonly name = 'InviteNotFound';

  constructor() {
    super('Invitation');
  }
}

/** It was one, and lets nobody in any more. */
export class InviteSpent extends Gone {
  override readonly name = 'InviteSpent';
  override readonly code = 'INVITE_SPENT';

  constructor() {
    super('The invitation was used or revoked, or its time is over');
  }
}

export class InviteLimitReached extends Conflict {
  override readonly name = 'InviteLimitReached';
  override readonly code = 'INVITE_LIMIT_REACHED';

  constructor() {
    super(`The project has ${maxInvites} open invitations, which is the most there may be`);
  }
}

export class MemberLimitReached extends Conflict {
  override readonly name = 'MemberLimitReached';
  override readonly code = 'MEMBER_LIMIT_REACHED';

  constructor() {
    super(`The project has ${maxMembers} members, which is the most there may be`);
  }
}

export class AlreadyMember extends Conflict {
  override readonly name = 'AlreadyMember';
  override readonly code = 'ALREADY_MEMBER';

  constructor() {
    super('You are a member of the project already');
  }
}

/** A project without an owner could not be managed by anybody. */
export class LastOwner extends Conflict {
  override readonly name = 'LastOwner';
  override readonly code = 'LAST_OWNER';

  constructor() {
    super('The owner stays until another member is made owner');
  }
}

/** Somebody else was first. */
export class MemberChanged extends Conflict {
  override readonly name = 'MemberChanged';
  override readonly code = 'VERSION_CONFLICT';

  constructor() {
    super('The members were changed meanwhile; read them again');
  }
}
