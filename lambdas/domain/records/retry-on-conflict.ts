import { Unavailable } from '../../shared/errors.js';

/** The outcome of one attempt: a result, or the present record for the next attempt. */
export type Attempt<Record, Result> = { readonly result: Result } | { readonly met: Record };

interface ConflictRetries {
  readonly attempts: number;
  /** The message of the 503 when every attempt met another change. */
  readonly message: string;
  /** Another error than the 503. */
  readonly error?: () => Error;
}

/**
 * Repeats a compare-and-set write with the record that it met, until one attempt has a result.
 *
 * @throws {Unavailable} every attempt met another change; nothing is written
 */
export async function retryOnConflict<Record, Result>(
  seen: Record,
  { attempts, message, error = () => new Unavailable(message) }: ConflictRetries,
  attempt: (record: Record) => Promise<Attempt<Record, Result>>,
): Promise<Result> {
  let record = seen;
  for (let count = 1; count <= attempts; count += 1) {
    const outcome = await attempt(record);
    if ('result' in outcome) return outcome.result;
    record = outcome.met;
  }
  throw error();
}
