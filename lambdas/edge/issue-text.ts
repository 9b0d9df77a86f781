import type { z } from 'zod/mini';

/** Describes a wrong field in words for people. A schema with a message of its own wins. */
export function issueText(issue: z.core.$ZodRawIssue): string {
  if (issue.input === undefined) return 'Required';
  switch (issue.code) {
    case 'invalid_type':
      return `Must be ${typeNames[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `Must be ${oneOf(issue.values)}`;
    case 'too_big':
      return sizeText(issue.origin, 'most', Number(issue.maximum));
    case 'too_small':
      return sizeText(issue.origin, 'least', Number(issue.minimum));
    case 'not_multiple_of':
      return `Must be a multiple of ${issue.divisor}`;
    case 'invalid_format':
      return formatText(issue);
    default:
      return 'Not a valid value';
  }
}

const typeNames: Readonly<Record<string, string>> = {
  ...{ string: 'text', number: 'a number', int: 'a whole number', boolean: 'true or false' },
  ...{ object: 'an object', record: 'an object', array: 'a list', null: 'null' },
};

const oneOf = (values: readonly unknown[]): string =>
  values.length === 1 ? String(values[0]) : `one of ${values.join(', ')}`;

/** Units of values that have a length. */
const units: Readonly<Record<string, string>> = {
  string: 'characters',
  array: 'items',
  set: 'items',
  map: 'entries',
};

function sizeText(origin: string, bound: 'most' | 'least', size: number): string {
  if (!(origin in units)) return `Must be at ${bound} ${size}`;
  if (bound === 'least' && size === 1) return 'Must not be empty';
  return `Must have at ${bound} ${size} ${units[origin]}`;
}

const formats: Readonly<Record<string, string>> = {
  datetime: 'a date and time, 2026-01-31T12:00:00Z for example',
  date: 'a date, 2026-01-31 for example',
  url: 'a URL',
  email: 'an e-mail address',
  uuid: 'a UUID',
};

function formatText(issue: { readonly format: string; readonly prefix?: unknown }): string {
  if (issue.format === 'starts_with') return `Must begin with ${issue.prefix}`;
  return issue.format in formats ? `Must be ${formats[issue.format]}` : 'Not in the expected form';
}
