/** Under `components`, one for each code. */
export const errorExampleRefs = (codes: readonly string[]): Record<string, { readonly $ref: string }> =>
  Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]));

/** One body a code, as a client meets it. */
export const errorExamples = (codes: readonly string[]): Record<string, { readonly value: unknown }> =>
  Object.fromEntries(
    codes.map((error) => [
      error,
      {
        value: {
          error,
          message: messages[error] ?? 'What is wrong, in words for people',
          requestId: '3e1bfb4c-5f0a-4d2e-9c1b-7a6d8e9f0a1b',
          ...(error === 'BAD_REQUEST' ? { details: [{ field: 'body.name', message: 'Too long' }] } : {}),
        },
      },
    ]),
  );

const messages: Readonly<Record<string, string>> = {
  BAD_REQUEST: 'The request is invalid',
  UNAUTHORIZED: 'Sign in first',
  ORIGIN_REQUIRED: 'Call this API at the front address of the deployment, not at API Gateway',
  FORBIDDEN: 'You need the capability workspace:write in this project',
  NOT_FOUND: 'Workspace not found',
  PAYLOAD_TOO_LARGE: 'The body may have at most 256 KiB',
  UNSUPPORTED_MEDIA_TYPE: 'The body must be application/json',
  NODE_CALLBACK_UNAUTHORIZED: 'A valid callback token is required',
  NODE_CALLBACK_FORBIDDEN: 'The callback token belongs to another node or workspace',
  CODE_HOST_UNAVAILABLE: 'The code host does not answer. Try again in 10 seconds.',
  CODE_HOST_ACCESS_LOST:
    'The code host refuses access. Sign in again, or check the installation on the code host.',
  RATE_LIMIT_EXCEEDED: 'Too many requests; try again later',
  TOO_MANY_REQUESTS_IN_FLIGHT:
    'You have 4 requests of this kind in progress (limit 4). Wait until one of them ends.',
  INTERNAL_ERROR: 'Internal error',
};
