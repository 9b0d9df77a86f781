import { createHmac, timingSafeEqual } from 'node:crypto';
import * as z from 'zod/mini';
import { InvalidRequest } from '../../shared/errors.js';

/** Where the next page of a list begins: the key of the last item of this one. */
export const Position = z.record(z.string(), z.string());
export type Position = z.infer<typeof Position>;

export interface CursorScope {
  /** The caller's own key; it never leaves the control plane. */
  readonly cursorKey: string;
  /** Names the list and every filter of it: a cursor of one query opens no other. */
  readonly query: string;
}

/** An opaque cursor that only this caller's same query takes back. */
export function sealCursor(scope: CursorScope, position: Position): string {
  const payload = Buffer.from(JSON.stringify(position)).toString('base64url');
  return sealed(scope, payload);
}

/** @throws {InvalidRequest} it is not of this query, or was changed */
export function openCursor(scope: CursorScope, cursor: string): Position {
  // Compared as texts: decoders read more than one text as the same bytes.
  const [payload = ''] = cursor.split('.');
  const expected = Buffer.from(sealed(scope, payload));
  const given = Buffer.from(cursor);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw invalidCursor();
  return Position.parse(JSON.parse(Buffer.from(payload, 'base64url').toString()));
}

function sealed({ cursorKey, query }: CursorScope, payload: string): string {
  const mac = createHmac('sha256', cursorKey).update(`${query}\n${payload}`).digest('base64url');
  return `${payload}.${mac}`;
}

const invalidCursor = () =>
  new InvalidRequest('The request is invalid', [
    { field: 'cursor', message: 'Not a cursor of this list; begin again without one' },
  ]);
