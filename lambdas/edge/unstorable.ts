import type { FieldError } from '../shared/errors.js';

/** DynamoDB allows 32 levels of nesting; a record adds levels around the input. */
const maxDepth = 24;

const notText = (field: string, text: string): FieldError | undefined =>
  text.isWellFormed() ? undefined : { field, message: 'Not well-formed Unicode' };

/**
 * Finds a part of a JSON value that the table cannot store: half of a surrogate pair, which a JSON
 * escape can express and UTF-8 cannot, or too deep nesting.
 */
export function findUnstorable(field: string, value: unknown, depth = 0): FieldError | undefined {
  if (typeof value === 'string') return notText(field, value);
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth === maxDepth) return { field, message: `Nested deeper than ${maxDepth} levels` };
  for (const [name, part] of Object.entries(value)) {
    const found = notText(field, name) ?? findUnstorable(`${field}.${name}`, part, depth + 1);
    if (found) return found;
  }
  return undefined;
}
