import { DomainError } from '../../shared/errors.js';

/** The person has a credential and has not allowed it in this project. */
export class CredentialNotAllowed extends DomainError {
  override readonly name = 'CredentialNotAllowed';
  readonly kind = 'forbidden';
  readonly code = 'CREDENTIAL_NOT_ALLOWED_IN_PROJECT';

  constructor(provider: string, projectId: string) {
    super(
      `Your own ${provider} credential is not allowed in this project, and the project has none. Allow your own credentials with PUT /api/projects/${projectId}/personal-credentials, or ask an admin to store a credential of the project.`,
    );
  }
}
