import type { Change, Key } from './changes.js';
import type { Conditions } from './conditions.js';

/** What becomes of fields: a value, `null` to remove the field, `undefined` to leave it as it is. */
export type FieldChanges<Fields> = { readonly [Name in keyof Fields]?: Fields[Name] | null | undefined };

type Condition<Fields, Value> = { readonly [Name in keyof Fields & string]?: Fields[Name] & Value };

/** Conditions in the names and types of a record's fields. */
export type RecordConditions<Fields> = Omit<Conditions, 'equals' | 'oneOf' | 'present' | 'absent'> & {
  readonly equals?: Condition<Fields, string | number | boolean> | undefined;
  readonly oneOf?: { readonly [Name in keyof Fields & string]?: readonly (Fields[Name] & string)[] };
  readonly present?: readonly (keyof Fields & string)[];
  readonly absent?: readonly (keyof Fields & string)[];
};

/** A change of one record, in the names and types of its fields. */
export interface RecordChange<Fields> {
  readonly set?: FieldChanges<Fields>;
  readonly increment?: { readonly [Name in NumberFields<Fields>]?: number };
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

/** The fields that this file maintains for every record. */
interface Maintained {
  readonly version: number;
  readonly updatedAt: string;
}

/** The one place where a change of a record increments `version` and sets `updatedAt`. */
export function recordChange<Fields extends Maintained>(
  key: Key,
  { set, increment, when, isInternal, now }: RecordChange<Fields>,
): Change {
  const fields = Object.entries({ ...set, updatedAt: now.toISOString() });
  const remove = fields.filter(([, value]) => value === null).map(([name]) => name);
  return {
    key,
    set: Object.fromEntries(fields.filter(([, value]) => value !== null)),
    ...(remove.length > 0 ? { remove } : {}),
    add: { ...increment, ...(isInternal ? {} : { version: 1 }) },
    when: { exists: true, ...when } as Conditions,
  };
}
