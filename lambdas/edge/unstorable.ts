import type { FieldError } from '../shared/errors.js';

/** DynamoDB allows 32 levels of nesting; a record adds levels around the input. */
const maxDepth = 24;

/**
 * What of a value that was read from JSON could not be kept as it is, if anything: half a
 * character, which an escape can write and UTF-8 cannot, or too deep a nesting.
 */

// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one branch for each form of the input
export function findUnstorable(field: string, value: unknown, depth = 0): FieldError | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : { field, message: notText };
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth === maxDepth) return { field, message: `Nested deeper than ${maxDepth} levels` };
  for (const [name, part] of Object.entries(value)) {
    const found = name.isWellFormed()
      ? findUnstorable(`${field}.${name}`, part, depth + 1)
      : { field, message: notText };
    if (found) return found;
  }
  return undefined;
}

const notText = 'Not well-formed Unicode';
