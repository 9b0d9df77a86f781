import type { Change, Key } from './changes.js';
import type { Conditions } from './conditions.js';

/**
 * What becomes of fields: a value, `null` to remove the field, `undefined` to leave it as it is.
 */
export type FieldChanges<Fields> = { readonly [Name in keyof Fields]?: Fields[Name] | null | undefined };

type Condition<Fields, Value> = { readonly [Name in keyof Fields & string]?: Fields[Name] & Value };

/** Conditions in the names and types of a record's fields. */
export interface RecordConditions<Fields> {
  readonly equals?: Condition<Fields, string | number | boolean> | undefined;
  readonly oneOf?: { readonly [Name in keyof Fields & string]?: readonly (Fields[Name] & string)[] };
  readonly present?: readonly (keyof Fields & string)[];
  readonly absent?: readonly (keyof Fields & string)[];
  readonly absentOrBefore?: Condition<Fields, string | number>;
  readonly after?: Condition<Fields, string | number>;
  readonly fewerThan?: { readonly [Name in SetFields<Fields>]?: number };
  readonly lacks?: { readonly [Name in SetFields<Fields>]?: string };
}

/** Keys by which the indexes find a record; `null` takes the record out of an index. */
interface IndexChanges {
  readonly ownerPk?: string | null;
  readonly ownerSk?: string | null;
  readonly parentPk?: string | null;
  readonly parentSk?: string | null;
}

/** A change of one record, in the names and types of its fields. */
export interface RecordChange<Fields> {
  readonly set?: FieldChanges<Fields>;
  readonly increment?: { readonly [Name in NumberFields<Fields>]?: number };
  /** Adds a member to a set. */
  readonly addTo?: { readonly [Name in SetFields<Fields>]?: string };
  /** Removes a member from a set; an empty set is removed. */
  readonly takeOut?: { readonly [Name in SetFields<Fields>]?: string };
  readonly index?: IndexChanges;
  /** The record is deleted this long after the change. */
  readonly expiresInSeconds?: number;
  /** The record must exist, and all of this must hold. */
  readonly when?: RecordConditions<Fields>;
  /** Clients see nothing of the change: `version` stays as it is. */
  readonly isInternal?: boolean;
  readonly now: Date;
}

type NumberFields<Fields> = {
  [Name in keyof Fields]-?: number extends Fields[Name] ? Name : never;
}[keyof Fields] &
  string;

type SetFields<Fields> = {
  [Name in keyof Fields]-?: NonNullable<Fields[Name]> extends ReadonlySet<string> ? Name : never;
}[keyof Fields] &
  string;

/**
 * The one place where a change of a record increments `version` and sets `updatedAt` and index
 * keys.
 */
export function recordChange<Fields extends { readonly updatedAt: string }>(
  key: Key,
  { set, increment, addTo, takeOut, index, expiresInSeconds, when, isInternal, now }: RecordChange<Fields>,
): Change {
  const expiresAt = expiresInSeconds && Math.floor(now.getTime() / 1000) + expiresInSeconds;
  const fields = Object.entries({ ...set, ...index, expiresAt, updatedAt: now.toISOString() });
  const remove = fields.filter(([, value]) => value === null).map(([name]) => name);
  return {
    key,
    set: Object.fromEntries(fields.filter(([, value]) => value !== null)),
    ...(remove.length > 0 ? { remove } : {}),
    add: { ...increment, ...membersOf(addTo), ...(isInternal ? {} : { version: 1 }) },
    ...(takeOut ? { takeOut: membersOf(takeOut) } : {}),
    when: { exists: true, ...when } as Conditions,
  };
}

const membersOf = (members: object = {}): Record<string, ReadonlySet<string>> =>
  Object.fromEntries(Object.entries(members).map(([name, member]) => [name, new Set([member])]));

/** The record after such a change, for a transaction, which does not return it. */
export const recordAfter = <Fields extends { readonly version: number; readonly updatedAt: string }>(
  record: Fields,
  { set, now }: Pick<RecordChange<Fields>, 'set' | 'now'>,
) => ({
  ...record,
  ...Object.fromEntries(Object.entries(set ?? {}).filter(([, value]) => value !== undefined)),
  version: record.version + 1,
  updatedAt: now.toISOString(),
});
