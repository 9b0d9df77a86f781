import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { Item } from '../domain/records/batch-items.js';
import type { Key } from '../domain/records/changes.js';
import type { ByCapability } from './capability-route.js';
import type { Contract } from './contract.js';
import { limitedByPerson } from './limited-by.js';
import { memberGate } from './member-gate.js';
import { type Handle, type HttpHandler, type ReplyOf, route } from './route.js';

/** Which record of a project a path names. */
export interface NamedRecord<Given extends object> {
  /** Its key, and those of others that are read with it. */
  readonly keys: (event: APIGatewayProxyEventV2) => readonly [Key, ...Key[]];
  /** @throws when there is none */
  readonly read: (found: Item | undefined, member: ByCapability) => Given;
}

/**
 * A route about a record that its path names, for members of `{projectId}` with the row's capability. The record is read
 * together with who calls: one table call.
 */
export function recordRoute<C extends Contract, Given extends object, const Out extends ReplyOf<C>>(
  contract: C,
  { keys, read }: NamedRecord<Given>,
  handle: Handle<C, ByCapability & Given, Out>,
): HttpHandler {
  const gate = memberGate();
  return route(
    contract,
    async (event, call) => {
      const asked = keys(event);
      const member = await gate(event, call, asked);
      return { ...member, ...read(member.find(asked[0]), member) };
    },
    handle,
    limitedByPerson,
  );
}
