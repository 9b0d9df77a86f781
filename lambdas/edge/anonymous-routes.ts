import * as z from 'zod/mini';
import { table } from '../shared/clients/documents.js';
import { readEnv } from '../shared/env.js';
import type { Table } from '../shared/table.js';
import type { Contract } from './contract.js';
import { requireSameOrigin } from './http-request.js';
import { limitedByAddress } from './limited-by.js';
import { ownRow } from './own-row.js';
import { type Handle, type HttpHandler, type ReplyOf, route } from './route.js';

/** A route for anyone. */
export function publicRoute<C extends Contract, const Out extends ReplyOf<C>>(
  contract: C,
  handle: Handle<C, object, Out>,
): HttpHandler {
  ownRow('public');
  return route(contract, { identify: () => ({}) }, handle);
}

/** A route whose handler checks a proof of its own; its file names the proof. */
export function ownRoute<C extends Contract, const Out extends ReplyOf<C>>(
  contract: C,
  handle: Handle<C, { readonly table: Table }, Out>,
): HttpHandler {
  ownRow('own');
  return route(contract, { identify: () => ({ table }), limiter: limitedByAddress }, handle);
}

/**
 * A public route with a limit for each address. Requests from other sites are refused uncounted.
 */
export function limitedPublicRoute<C extends Contract, const Out extends ReplyOf<C>>(
  contract: C,
  handle: Handle<C, { readonly table: Table }, Out>,
): HttpHandler {
  const { method } = ownRow('public');
  const { PUBLIC_URL } = readEnv({ PUBLIC_URL: z.url() });
  return route(
    contract,
    {
      identify: (_event, { request }) => {
        requireSameOrigin(request, method, PUBLIC_URL);
        return { table };
      },
      limiter: limitedByAddress,
    },
    handle,
  );
}
