import { type RateLimit, rateLimits } from '../../domain/rate-limits/rate-limits.js';
import type { Authorisation, Route } from '../../route-row.js';
import { isReachedDirectly } from '../../route-row.js';
import type { Contract } from '../contract.js';

/** Which status each stable code comes with; codes of a route's own are listed in its contract. */
const statusOf: Readonly<Record<string, number>> = {
  BAD_REQUEST: 400,
  INVALID_VERSION: 400,
  INVALID_PLATFORM: 400,
  WORKSPACE_NOT_RUNNING: 400,
  RESOURCES_TOO_LARGE: 400,
  NOT_A_TEXT_FILE: 400,
  UNAUTHORIZED: 401,
  INVALID_TOKEN: 401,
  INVALID_SIGNATURE: 401,
  NODE_CALLBACK_UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  ORIGIN_REQUIRED: 403,
  NODE_CALLBACK_FORBIDDEN: 403,
  CODE_HOST_ACCESS_LOST: 403,
  NOT_SESSION_CREATOR: 403,
  NOT_TASK_CREATOR: 403,
  SUPERADMIN_BY_SETTING: 403,
  EVENT_SUBSCRIPTION_NOT_CANCELLABLE: 403,
  NOT_FOUND: 404,
  CHANGES_NOT_KEPT: 404,
  GONE: 410,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMIT_EXCEEDED: 429,
  TOO_MANY_REQUESTS_IN_FLIGHT: 429,
  INTERNAL_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
  CODE_HOST_UNAVAILABLE: 503,
  WEBHOOK_SECRET_UNUSABLE: 503,
};

/** What is left are the many ways in which the present state forbids something. */
const conflict = 409;

const ofCaller: Readonly<Record<Authorisation['kind'], readonly string[]>> = {
  public: [],
  own: [],
  session: ['UNAUTHORIZED'],
  capability: ['UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND'],
  superadmin: ['UNAUTHORIZED', 'FORBIDDEN'],
  nodeCallback: ['NODE_CALLBACK_UNAUTHORIZED', 'NODE_CALLBACK_FORBIDDEN'],
  workspaceCallback: ['NODE_CALLBACK_UNAUTHORIZED', 'NODE_CALLBACK_FORBIDDEN'],
  agentCallback: ['NODE_CALLBACK_UNAUTHORIZED'],
  anyCallback: ['NODE_CALLBACK_UNAUTHORIZED', 'NODE_CALLBACK_FORBIDDEN'],
  mcp: [],
};

/** What a detached project does not let its members do. */
const startsSomething = (auth: Authorisation): boolean =>
  auth.kind === 'capability' && !auth.capability.endsWith(':read') && !auth.evenDetached;

function ofLimit({ limit }: Route): readonly string[] {
  if (!limit) return [];
  const { inFlight }: RateLimit = rateLimits[limit];
  return inFlight ? ['RATE_LIMIT_EXCEEDED', 'TOO_MANY_REQUESTS_IN_FLIGHT'] : ['RATE_LIMIT_EXCEEDED'];
}

/** All errors of a route: the codes of each status. */
export function errorCodes(route: Route, contract: Contract): ReadonlyMap<number, readonly string[]> {
  // Failures of MCP have the shape of JSON-RPC; its contract describes them.
  if (route.auth.kind === 'mcp') return new Map();
  const byStatus = Map.groupBy(new Set(codesOf(route, contract)), (code) => statusOf[code] ?? conflict);
  return new Map([...byStatus].sort(([a], [b]) => a - b));
}

const codesOf = (route: Route, { errors, takesBody }: Contract): readonly string[] => [
  'BAD_REQUEST',
  ...(isReachedDirectly(route) ? [] : ['ORIGIN_REQUIRED']),
  ...ofCaller[route.auth.kind],
  ...ofSession(route),
  ...(startsSomething(route.auth) ? ['PROJECT_DETACHED'] : []),
  ...(takesBody ? ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] : []),
  ...errors,
  ...ofLimit(route),
  'INTERNAL_ERROR',
];

function ofSession({ auth, method }: Route): readonly string[] {
  if (auth.kind !== 'session') return [];
  return [...(auth.owns ? ['NOT_FOUND'] : []), ...(method === 'GET' ? [] : ['FORBIDDEN'])];
}

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
  INVALID_SIGNATURE:
    'X-Hub-Signature-256 signs this body with no secret of this deployment. Use the same secret at the code host.',
  WEBHOOK_SECRET_UNUSABLE:
    'The deployment has no secret for webhooks of 16 or more characters. Its operator sets one as docs/deploying.md describes.',
  CODE_HOST_UNAVAILABLE: 'The code host does not answer. Try again in 10 seconds.',
  CODE_HOST_ACCESS_LOST:
    'The code host refuses access. Sign in again, or check the installation on the code host.',
  RATE_LIMIT_EXCEEDED: 'Too many requests; try again later',
  TOO_MANY_REQUESTS_IN_FLIGHT:
    'You have 4 requests of this kind in progress (limit 4). Wait until one of them ends.',
  INTERNAL_ERROR: 'Internal error',
};
