import { DomainError } from '../../shared/errors.js';

export class AccountSuspended extends DomainError {
  override readonly name = 'AccountSuspended';
  readonly kind = 'forbidden';
  readonly code = 'ACCOUNT_SUSPENDED';

  constructor() {
    super('This account is suspended. Ask an operator of this deployment to reactivate it.');
  }
}

/** The sign-in policy of the deployment does not name this account, its organisations or its e-mail domain. */
export class SignInNotAllowed extends DomainError {
  override readonly name = 'SignInNotAllowed';
  readonly kind = 'forbidden';
  readonly code = 'SIGN_IN_NOT_ALLOWED';

  constructor() {
    super('The sign-in policy of this deployment does not allow this account. Ask an operator to allow it.');
  }
}

/** Only the setting makes and ends superadmins. */
export class SuperadminBySetting extends DomainError {
  override readonly name = 'SuperadminBySetting';
  readonly kind = 'forbidden';
  readonly code = 'SUPERADMIN_BY_SETTING';

  constructor() {
    super(
      'A superadmin is changed by the setting `superadmins` only. Take the id out of it, deploy, and repeat the call.',
    );
  }
}
