import * as z from 'zod/mini';
import type { Change } from './changes.js';

type Fields = Readonly<Record<string, unknown>>;

/** What is null where an item has no such attribute: names, too, are paid by their bytes, with each write. */
export const orNull = <Schema extends z.core.$ZodType>(schema: Schema) =>
  z._default(z.nullable(schema), null);

/** An item, or a map in one, as it is stored. */
export const withoutNulls = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

/** Changes a stored item so that it has these fields; what becomes null is taken away. */
export const changeTo = (fields: Fields): Pick<Change, 'set' | 'remove'> => ({
  set: withoutNulls(fields),
  remove: Object.keys(fields).filter((name) => fields[name] === null),
});
