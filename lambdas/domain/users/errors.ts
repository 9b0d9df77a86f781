import { Forbidden } from '../../shared/errors.js';

export const accountSuspended = () =>
  new Forbidden('Your account is suspended. Ask an operator of this deployment to reactivate it.', {
    code: 'ACCOUNT_SUSPENDED',
  });

/**
 * The sign-in policy of the deployment does not name this account, its organisations or its e-mail
 * domain.
 */
export const signInNotAllowed = () =>
  new Forbidden(
    'The sign-in policy of this deployment does not allow this account. Ask an operator to allow it.',
    { code: 'SIGN_IN_NOT_ALLOWED' },
  );

/** Only the setting `superadmins` makes and removes superadmins. */
export const superadminBySetting = () =>
  new Forbidden(
    'Only the setting `superadmins` changes a superadmin. Remove the id from the setting, deploy, and repeat the call.',
    { code: 'SUPERADMIN_BY_SETTING' },
  );
