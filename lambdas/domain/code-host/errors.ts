import { Forbidden, NotFound, Unauthenticated, Unavailable } from '../../shared/errors.js';

/** The code host answered too late, with a failure, or not at all. */
export class CodeHostUnavailable extends Unavailable {
  override readonly name = 'CodeHostUnavailable';

  constructor(options?: ErrorOptions) {
    super('The code host does not answer. Try again in 10 seconds.', {
      ...options,
      code: 'CODE_HOST_UNAVAILABLE',
      retryAfter: 10,
    });
  }
}

/** A field that is wrong, or a sentence of the code host. */
export interface InvalidReason {
  readonly field?: string | undefined;
  readonly message?: string | undefined;
}

/** The grant of the person or of the installation was revoked or narrowed. */
export class CodeHostAccessLost extends Forbidden {
  override readonly name = 'CodeHostAccessLost';

  constructor(
    message = 'The code host refuses access. Sign in again, or check the installation on the code host.',
    /** The reasons of the code host when it answered 422: it cannot fulfil the request. */
    readonly reasons: readonly InvalidReason[] | undefined = undefined,
  ) {
    super(message, { code: 'CODE_HOST_ACCESS_LOST' });
  }

  get isUnprocessable(): boolean {
    return this.reasons !== undefined;
  }
}

export const repositoryAccessLost = (repository: string) =>
  new CodeHostAccessLost(
    `You have no access to ${repository} on the code host: the repository was deleted or renamed, or your access was withdrawn. Ask its owner for access, then try again.`,
  );

export const invalidSignature = () =>
  new Unauthenticated(
    'X-Hub-Signature-256 signs this body with no secret of this deployment. Use the same secret at the code host.',
    { code: 'INVALID_SIGNATURE' },
  );

/** The operator has to act. */
export const webhookSecretUnusable = () =>
  new Unavailable(
    'The deployment has no secret for webhooks of 16 or more characters. Its operator sets one as docs/deploying.md describes.',
    { code: 'WEBHOOK_SECRET_UNUSABLE' },
  );

/** The code host does not know the thing, or does not show it to this token. */
export class CodeHostNotFound extends NotFound {}
