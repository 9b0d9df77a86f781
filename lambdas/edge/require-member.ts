import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { findMembership } from '../domain/projects/find-membership.js';
import type { Key } from '../domain/records/changes.js';
import type { Capability, Route } from '../routes.js';
import { table } from '../shared/clients/documents.js';
import { pathId } from './path-id.js';
import { requireSameOrigin } from './require-same-origin.js';
import { callerOf } from './require-session.js';
import type { Call } from './route.js';
import { sessionCookieName } from './session-cookie.js';

export interface MemberRoute {
  readonly method: Route['method'];
  readonly capability: Capability;
  readonly publicUrl: string;
}

/** Who calls, as a member of the path's `{projectId}`, and with `also` a record besides. One table call. */
export async function requireMember(
  event: APIGatewayProxyEventV2,
  call: Pick<Call, 'request' | 'now'>,
  { method, capability, publicUrl, also }: MemberRoute & { readonly also?: Key },
) {
  requireSameOrigin(call.request, method, publicUrl);
  const { session, project, member, found } = await findMembership(table, {
    secret: call.request.cookies.get(sessionCookieName),
    projectId: pathId(event, 'projectId'),
    capability,
    now: call.now,
    ...(also ? { also } : {}),
  });
  return { user: callerOf(session), table, project, member, found };
}
