import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import * as z from 'zod/mini';
import { findMembership } from '../domain/projects/find-membership.js';
import type { Key } from '../domain/records/changes.js';
import { table } from '../shared/clients/documents.js';
import { readEnv } from '../shared/env.js';
import { ownRow } from './own-row.js';
import { pathId } from './path-id.js';
import { requireSameOrigin } from './require-same-origin.js';
import { callerOf } from './require-session.js';
import type { Call } from './route.js';
import { sessionCookieName } from './session-cookie.js';

/**
 * For a function whose row asks for a capability: says of each request who calls, as a member of the path's
 * `{projectId}`, and finds other records in the same table call.
 */
export function memberGate() {
  const { method, auth } = ownRow('capability');
  const { PUBLIC_URL: publicUrl } = readEnv({ PUBLIC_URL: z.url() });
  return async (
    event: APIGatewayProxyEventV2,
    { request, now }: Pick<Call, 'request' | 'now'>,
    also: readonly Key[] = [],
  ) => {
    requireSameOrigin(request, method, publicUrl);
    const { caller, ...membership } = await findMembership(table, {
      secret: request.cookies.get(sessionCookieName),
      projectId: pathId(event, 'projectId'),
      capability: auth.capability,
      evenDetached: auth.evenDetached,
      now,
      also,
    });
    return { user: callerOf(caller), table, ...membership };
  };
}
