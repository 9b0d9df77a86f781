import * as z from 'zod/mini';
import { type Conditions, conditionExpression, Placeholders } from './conditions.js';

export interface Key {
  readonly pk: string;
  readonly sk: string;
}

/** One change of one item. An `undefined` in `set` leaves the attribute as it is. */
export interface Change {
  readonly key: Key;
  readonly set?: Readonly<Record<string, unknown>>;
  readonly remove?: readonly string[];
  readonly add?: Readonly<Record<string, number | ReadonlySet<string>>>;
  /** Members to take out of sets; a set that becomes empty is gone. */
  readonly takeOut?: Readonly<Record<string, ReadonlySet<string>>>;
  readonly when: Conditions;
}

/** The parameters of an UpdateItem call or of a transaction's Update, without the table. */
export function updateParameters({ key, set, remove, add, takeOut, when }: Change) {
  const placeholders = new Placeholders();
  const assign = (attribute: string, value: unknown, between: string) =>
    `${placeholders.name(attribute)}${between}${placeholders.value(value)}`;
  const clause = (word: string, parts: readonly string[]) =>
    parts.length > 0 ? [`${word} ${parts.join(', ')}`] : [];

  const given = Object.entries(set ?? {}).filter(([, value]) => value !== undefined);
  const UpdateExpression = [
    ...clause(
      'SET',
      given.map(([attribute, value]) => assign(attribute, value, ' = ')),
    ),
    ...clause(
      'REMOVE',
      (remove ?? []).map((attribute) => placeholders.name(attribute)),
    ),
    ...clause(
      'ADD',
      Object.entries(add ?? {}).map(([attribute, value]) => assign(attribute, value, ' ')),
    ),
    ...clause(
      'DELETE',
      Object.entries(takeOut ?? {}).map(([attribute, value]) => assign(attribute, value, ' ')),
    ),
  ].join(' ');
  const ConditionExpression = conditionExpression(when, placeholders);

  return {
    Key: key,
    UpdateExpression,
    ...(ConditionExpression ? { ConditionExpression } : {}),
    ExpressionAttributeNames: placeholders.names,
    ...valuesOf(placeholders),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  };
}

/** The parameters of a Put, without the table. */
export const putParameters = (item: Readonly<Record<string, unknown>>, when: Conditions) => ({
  Item: { ...item },
  ...conditionParameters(when),
});

/** What makes a put, a deletion or a check in a transaction conditional. */
export function conditionParameters(when: Conditions) {
  const placeholders = new Placeholders();
  const ConditionExpression = conditionExpression(when, placeholders);
  return {
    ...(ConditionExpression ? { ConditionExpression, ExpressionAttributeNames: placeholders.names } : {}),
    ...valuesOf(placeholders),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  };
}

// DynamoDB refuses an empty map of values.
function valuesOf({ values }: Placeholders): { ExpressionAttributeValues?: Record<string, unknown> } {
  return Object.keys(values).length > 0 ? { ExpressionAttributeValues: values } : {};
}

type Fields = Readonly<Record<string, unknown>>;

/** A field that is null when the item has no such attribute: each stored name costs bytes. */
export const orNull = <Schema extends z.core.$ZodType>(schema: Schema) =>
  z._default(z.nullable(schema), null);

/** An item, or a map in an item, as it is stored. */
export const withoutNulls = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
