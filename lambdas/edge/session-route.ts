import * as z from 'zod/mini';
import { table } from '../shared/clients/documents.js';
import { readEnv } from '../shared/env.js';
import { Forbidden } from '../shared/errors.js';
import type { Table } from '../shared/table.js';
import type { Contract } from './contract.js';
import { requireSameOrigin } from './http-request.js';
import { limitedByPerson } from './limited-by.js';
import { ownRow } from './own-row.js';
import { type Caller, requireSession } from './require-session.js';
import { type Handle, type HttpHandler, type ReplyOf, route } from './route.js';

export interface BySession {
  readonly user: Caller;
  readonly table: Table;
}

/** A route for signed-in people. The handler checks who owns the record in the path (`owns`). */
export function sessionRoute<C extends Contract, const Out extends ReplyOf<C>>(
  contract: C,
  handle: Handle<C, BySession, Out>,
): HttpHandler {
  const { method } = ownRow('session');
  const { PUBLIC_URL } = readEnv({ PUBLIC_URL: z.url() });
  return route(
    contract,
    {
      identify: async (_event, call) => {
        requireSameOrigin(call.request, method, PUBLIC_URL);
        return { user: await requireSession(table, call), table };
      },
      limiter: limitedByPerson,
    },
    handle,
  );
}

/** A route for those who run the deployment. */
export function superadminRoute<C extends Contract, const Out extends ReplyOf<C>>(
  contract: C,
  handle: Handle<C, BySession, Out>,
): HttpHandler {
  const { method } = ownRow('superadmin');
  const { PUBLIC_URL } = readEnv({ PUBLIC_URL: z.url() });
  return route(
    contract,
    {
      identify: async (_event, call) => {
        requireSameOrigin(call.request, method, PUBLIC_URL);
        const user = await requireSession(table, call);
        if (user.role !== 'superadmin') throw new Forbidden('This is for superadmins');
        return { user, table };
      },
      limiter: limitedByPerson,
    },
    handle,
  );
}
