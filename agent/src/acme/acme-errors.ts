import * as z from 'zod/mini';

const prefix = 'urn:ietf:params:acme:error:';

/** The error types of RFC 8555 that the agent distinguishes; `other` stands for the rest. */
const problemKinds = [
  'badNonce',
  'rateLimited',
  'unauthorized',
  'connection',
  'rejectedIdentifier',
  'unsupportedIdentifier',
  'invalidProfile',
  'userActionRequired',
  'serverInternal',
] as const;
export type AcmeProblemKind = (typeof problemKinds)[number] | 'other';

/** A problem document (RFC 7807) of an ACME server. */
export const ProblemDocument = z.object({
  type: z.optional(z.string()),
  detail: z.optional(z.string()),
});
export type ProblemDocument = z.infer<typeof ProblemDocument>;

/** The authority answered and refused. */
export class AcmeProblem extends Error {
  override readonly name = 'AcmeProblem';
  readonly kind: AcmeProblemKind;

  constructor(
    { type = '', detail = 'without a detail' }: ProblemDocument,
    /** The authority takes no request before; 0 without such a time. */
    readonly retryAfterMs = 0,
  ) {
    const kind = problemKinds.find((known) => type === prefix + known) ?? 'other';
    super(`The certificate authority answered ${type.replace(prefix, '') || 'an error'}: ${detail}`);
    this.kind = kind;
  }
}

/** The authority did not answer, or answered what no ACME server answers. */
export class AcmeUnavailable extends Error {
  override readonly name = 'AcmeUnavailable';
}
