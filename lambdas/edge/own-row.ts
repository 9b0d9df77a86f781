import * as z from 'zod/mini';
import type { Authorisation, FallbackRoute, Route } from '../route-row.js';
import { readEnv } from '../shared/env.js';

const Row = z.looseObject({
  method: z.string(),
  path: z.string(),
  file: z.string(),
  auth: z.looseObject({ kind: z.string() }),
});

/** What a function knows of its row; grants are IAM's business. */
export type OwnRow = Omit<Route | FallbackRoute, 'grants'>;

/** This function's row of routes.ts, which infra puts into ROUTE. */
export function readRow(): OwnRow {
  const { ROUTE } = readEnv({ ROUTE: z.string() });
  // infra wrote it from routes.ts, whose type it is.
  return Row.parse(JSON.parse(ROUTE)) as unknown as OwnRow;
}

/**
 * This function's row of routes.ts. A wrapper of another kind than the row declares
 * does not load, so a handler cannot accept another kind of caller than the table says.
 */
export function ownRow<const Kind extends Authorisation['kind']>(
  kind: Kind,
): OwnRow & { readonly auth: Extract<Authorisation, { kind: Kind }> } {
  const row = readRow();
  if (row.auth.kind !== kind) {
    throw new Error(`${row.file} is declared ${row.auth.kind} in routes.ts but built as ${kind}`);
  }
  // The kind, on which the rest of the type depends, was just checked.
  return row as OwnRow & { readonly auth: Extract<Authorisation, { kind: Kind }> };
}
