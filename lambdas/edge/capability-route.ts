import * as z from 'zod/mini';
import { findMembership, type Membership } from '../domain/projects/find-membership.js';
import { table } from '../shared/clients/documents.js';
import { readEnv } from '../shared/env.js';
import type { Contract } from './contract.js';
import { ownRow } from './own-row.js';
import { pathId } from './path-id.js';
import { requireSameOrigin } from './require-same-origin.js';
import { callerOf } from './require-session.js';
import { type Handle, type HttpHandler, type ReplyOf, route } from './route.js';
import { sessionCookieName } from './session-cookie.js';
import type { BySession } from './session-route.js';

export type ByCapability = BySession & Membership;

/** A route for members of `{projectId}` who have the capability that the row declares. One table call. */
export function capabilityRoute<C extends Contract, const Out extends ReplyOf<C>>(
  contract: C,
  handle: Handle<C, ByCapability, Out>,
): HttpHandler {
  const { method, auth } = ownRow('capability');
  const { PUBLIC_URL } = readEnv({ PUBLIC_URL: z.url() });
  return route(
    contract,
    async (event, call) => {
      requireSameOrigin(call.request, method, PUBLIC_URL);
      const secret = call.request.cookies.get(sessionCookieName);
      const projectId = pathId(event, 'projectId');
      const { capability } = auth;
      const found = await findMembership(table, { secret, projectId, capability, now: call.now });
      const { session, project, member } = found;
      return { user: callerOf(session), table, project, member };
    },
    handle,
  );
}
