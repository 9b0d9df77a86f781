import { Forbidden } from '../../shared/errors.js';

/** The person has a credential and has not allowed it in this project. */
export const credentialNotAllowed = (provider: string, projectId: string) =>
  new Forbidden(
    `Your own ${provider} credential is not allowed in this project, and the project has none. Allow your own credentials with PUT /api/projects/${projectId}/personal-credentials, or ask an admin to store a credential of the project.`,
    { code: 'CREDENTIAL_NOT_ALLOWED_IN_PROJECT' },
  );
