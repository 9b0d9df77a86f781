export const idempotencyKeyPattern = /^[\x21-\x7e]{1,255}$/;

/** The header of a contract whose requests create a record. */
export const creationHeader = (noun: string) => ({
  'Idempotency-Key': `A key of your choice, at most 255 printable characters. A repeat with the same key within 24 hours returns the first ${noun} and creates no second one.`,
});
