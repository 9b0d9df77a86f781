import { Conflict, Forbidden, Gone, NotFound } from '../../shared/errors.js';
import { maxMembers } from '../projects/project.js';
import { maxInvites } from './invite.js';

export const memberNotFound = () => new NotFound('Member');
export const inviteNotFound = () => new NotFound('Invitation');

export const inviteSpent = () =>
  new Gone(
    'The invitation was used or revoked, or has expired. Ask an admin of the project for another one.',
    {
      code: 'INVITE_SPENT',
    },
  );

export const inviteLimitReached = () =>
  new Conflict(
    `The project has ${maxInvites} open invitations (limit ${maxInvites}). Revoke one, or wait until one expires.`,
    { code: 'INVITE_LIMIT_REACHED' },
  );

export const memberLimitReached = () =>
  new Conflict(`The project has ${maxMembers} members (limit ${maxMembers}). Ask an admin to remove one.`, {
    code: 'MEMBER_LIMIT_REACHED',
  });

export const alreadyMember = () =>
  new Conflict('You are already a member of this project', { code: 'ALREADY_MEMBER' });

export const ownershipOfferNotFound = () => new NotFound('Offer of the ownership');

export const ownershipOfferSpent = () =>
  new Gone(
    'The offer has expired, or is of an earlier owner. Ask the owner of the project for another one.',
    {
      code: 'OWNERSHIP_OFFER_SPENT',
    },
  );

/** An offer is accepted by the member to whom it was made. */
export const notOfferedToYou = () =>
  new Forbidden('Only the member to whom the ownership is offered can accept it', {
    code: 'OWNERSHIP_NOT_OFFERED_TO_YOU',
  });

/** Nobody could manage a project without an owner. */
export const lastOwner = () =>
  new Conflict('A project needs an owner. Transfer the ownership to another member first.', {
    code: 'LAST_OWNER',
  });

/** Another writer changed the members first. */
export const memberChanged = () =>
  new Conflict('Another request changed the members. Read the members again and repeat the call.', {
    code: 'VERSION_CONFLICT',
  });
