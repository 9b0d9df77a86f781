import * as z from 'zod/mini';
import type { Membership } from '../domain/projects/find-membership.js';
import { readEnv } from '../shared/env.js';
import type { Contract } from './contract.js';
import { ownRow } from './own-row.js';
import { requireMember } from './require-member.js';
import { type Handle, type HttpHandler, type ReplyOf, route } from './route.js';
import type { BySession } from './session-route.js';

export type ByCapability = BySession & Membership;

/** A route for members of `{projectId}` who have the capability that the row declares. One table call. */
export function capabilityRoute<C extends Contract, const Out extends ReplyOf<C>>(
  contract: C,
  handle: Handle<C, ByCapability, Out>,
): HttpHandler {
  const { method, auth } = ownRow('capability');
  const { PUBLIC_URL: publicUrl } = readEnv({ PUBLIC_URL: z.url() });
  const { capability } = auth;
  return route(
    contract,
    async (event, call) => {
      const { user, table, project, member } = await requireMember(event, call, {
        method,
        capability,
        publicUrl,
      });
      return { user, table, project, member };
    },
    handle,
  );
}
