import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { Membership } from '../domain/projects/find-membership.js';
import type { Find } from '../domain/records/batch-items.js';
import type { Key } from '../domain/records/changes.js';
import type { Contract } from './contract.js';
import { limitedByPerson } from './limited-by.js';
import { memberGate } from './member-gate.js';
import { type Handle, type HttpHandler, type ReplyOf, route } from './route.js';
import type { BySession } from './session-route.js';

export type ByCapability = BySession &
  Membership & {
    /** What `also` asked for. */
    readonly find: Find;
  };

/**
 * A route for members of `{projectId}` who have the capability that the row declares. `also` names records that the
 * path points at, which are read in the same table call.
 */
export function capabilityRoute<C extends Contract, const Out extends ReplyOf<C>>(
  contract: C,
  handle: Handle<C, ByCapability, Out>,
  also: (event: APIGatewayProxyEventV2) => readonly Key[] = () => [],
): HttpHandler {
  const member = memberGate();
  return route(contract, (event, call) => member(event, call, also(event)), handle, limitedByPerson);
}
