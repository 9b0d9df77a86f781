import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import * as z from 'zod/mini';
import { findMembership, type Membership } from '../domain/projects/find-membership.js';
import type { Find, Item } from '../domain/records/batch-items.js';
import type { Key } from '../domain/records/changes.js';
import { table } from '../shared/clients/documents.js';
import { readEnv } from '../shared/env.js';
import type { Contract } from './contract.js';
import { sessionCookieName } from './cookies.js';
import { requireSameOrigin } from './http-request.js';
import { limitedByPerson } from './limited-by.js';
import { ownRow } from './own-row.js';
import { pathId } from './parse-request.js';
import { callerOf } from './require-session.js';
import { type Call, type Handle, type HttpHandler, type ReplyOf, route } from './route.js';
import type { BySession } from './session-route.js';

export type ByCapability = BySession &
  Membership & {
    /** Finds the records that `also` named. */
    readonly find: Find;
  };

/**
 * A route for members of `{projectId}` who have the capability that the row declares. `also` names
 * records that the path points at, which are read in the same table call.
 */
export function capabilityRoute<C extends Contract, const Out extends ReplyOf<C>>(
  contract: C,
  handle: Handle<C, ByCapability, Out>,
  also: (event: APIGatewayProxyEventV2) => readonly Key[] = () => [],
): HttpHandler {
  const member = memberGate();
  return route(
    contract,
    { identify: (event, call) => member(event, call, also(event)), limiter: limitedByPerson },
    handle,
  );
}

/**
 * Finds the caller as a member of `{projectId}`, and the records in `also`, with one table call.
 */
function memberGate() {
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

/** The record of a project that a path names. */
export interface NamedRecord<Given extends object> {
  /** The record's key, and keys of other records to read with it. */
  readonly keys: (event: APIGatewayProxyEventV2) => readonly [Key, ...Key[]];
  /** @throws when the record does not exist */
  readonly read: (found: Item | undefined, member: ByCapability) => Given;
}

/**
 * A route about a record that the path names, for members of `{projectId}` with the row's
 * capability. One table call reads the record, the session and the membership.
 */
export function recordRoute<C extends Contract, Given extends object, const Out extends ReplyOf<C>>(
  contract: C,
  { keys, read }: NamedRecord<Given>,
  handle: Handle<C, ByCapability & Given, Out>,
): HttpHandler {
  const gate = memberGate();
  return route(
    contract,
    {
      identify: async (event, call) => {
        const asked = keys(event);
        const member = await gate(event, call, asked);
        return { ...member, ...read(member.find(asked[0]), member) };
      },
      limiter: limitedByPerson,
    },
    handle,
  );
}
