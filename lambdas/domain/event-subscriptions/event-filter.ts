import * as z from 'zod/mini';
import { canonicalJson } from '../../shared/canonical-json.js';
import { hashText } from '../../shared/hash-text.js';
import { EventName, severities } from '../project-events/event-content.js';
import type { ProjectEvent } from '../project-events/project-event.js';

export const maxFilterValues = 20;
const maxMatchKeys = 100;

const filterFields = ['source', 'eventType', 'subjectType', 'subjectId', 'severity'] as const;
type FilterField = (typeof filterFields)[number];

const oneOrSet = <Value extends z.ZodMiniType<string>>(value: Value) =>
  z.optional(z.union([value, z.array(value).check(z.minLength(1), z.maxLength(maxFilterValues))]));

/** As it is stored. */
export const FilterFields = z.strictObject({
  version: z.literal(1),
  source: oneOrSet(EventName),
  eventType: oneOrSet(EventName),
  subjectType: oneOrSet(EventName),
  subjectId: oneOrSet(EventName),
  severity: oneOrSet(z.enum(severities)),
});

/** Version 1: each field is one exact value or a set. */
export const EventFilter = FilterFields.check(
  z.refine(
    (filter) => filterFields.some((field) => filter[field] !== undefined),
    `Must have at least one of ${filterFields.join(', ')}`,
  ),
  z.refine(
    (filter) => matchKeyCount(filter) <= maxMatchKeys,
    `Can have at most ${maxMatchKeys} values in all fields together`,
  ),
);
export type EventFilter = z.infer<typeof EventFilter>;

type Values = { readonly [Field in FilterField]?: string | readonly string[] | undefined };

const valuesOf = (filter: Values, field: FilterField): readonly string[] => {
  const value = filter[field];
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
};

/** The number of its different values. */
export const matchKeyCount = (filter: Values): number =>
  filterFields.reduce((sum, field) => sum + new Set(valuesOf(filter, field)).size, 0);

/** Equal for filters that select the same values, in any order. */
export const filterFingerprint = (filter: Values): string =>
  hashText(
    canonicalJson(
      Object.fromEntries(
        filterFields.map((field) => [field, [...new Set(valuesOf(filter, field))].toSorted()]),
      ),
    ),
  );

/** The fields of an event that a filter compares. */
export type Filtered = Pick<ProjectEvent, 'source' | 'eventType' | 'subject' | 'severity'>;

/** Each field that the filter has must have the value of the event. */
export function selects(filter: Values, { source, eventType, subject, severity }: Filtered): boolean {
  const event = { source, eventType, severity, subjectType: subject.type, subjectId: subject.id };
  return filterFields.every(
    (field) => filter[field] === undefined || valuesOf(filter, field).includes(event[field]),
  );
}
