import { table } from '../shared/clients/documents.js';
import type { Table } from '../shared/table.js';
import type { Contract } from './contract.js';
import { limitedByAddress } from './limited-by.js';
import { ownRow } from './own-row.js';
import { type Handle, type HttpHandler, type ReplyOf, route } from './route.js';

/** A route whose handler checks a proof of its own; its file says which. */
export function ownRoute<C extends Contract, const Out extends ReplyOf<C>>(
  contract: C,
  handle: Handle<C, { readonly table: Table }, Out>,
): HttpHandler {
  ownRow('own');
  return route(contract, () => ({ table }), handle, limitedByAddress);
}
