import type { Contract } from './contract.js';
import { ownRow } from './own-row.js';
import { type Handle, type HttpHandler, type ReplyOf, route } from './route.js';

/** A route that anybody may call. */
export function publicRoute<C extends Contract, const Out extends ReplyOf<C>>(
  contract: C,
  handle: Handle<C, object, Out>,
): HttpHandler {
  ownRow('public');
  return route(contract, { identify: () => ({}) }, handle);
}
