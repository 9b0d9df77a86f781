import * as z from 'zod/mini';
import type { Authorisation, Route } from '../routes.js';
import { readEnv } from '../shared/env.js';

const Row = z.looseObject({
  method: z.string(),
  path: z.string(),
  file: z.string(),
  auth: z.looseObject({ kind: z.string() }),
});

/**
 * This function's row of routes.ts, which infra puts into ROUTE. A wrapper of another kind than the row declares
 * does not load, so a handler cannot be looser than the table says.
 */
export function ownRow<const Kind extends Authorisation['kind']>(
  kind: Kind,
): Omit<Route, 'auth'> & { readonly auth: Extract<Authorisation, { kind: Kind }> } {
  const { ROUTE } = readEnv({ ROUTE: z.string() });
  const row = Row.parse(JSON.parse(ROUTE));
  if (row.auth.kind !== kind) {
    throw new Error(`${row.file} is declared ${row.auth.kind} in routes.ts but built as ${kind}`);
  }
  // infra wrote it from routes.ts, whose type it is; what matters here was just checked.
  return row as unknown as Omit<Route, 'auth'> & { readonly auth: Extract<Authorisation, { kind: Kind }> };
}
