import { Unavailable } from '../../shared/errors.js';

/** What one attempt came to: a result, or the record as it stands now, for the next attempt. */
export type Attempt<Record, Result> = { readonly result: Result } | { readonly met: Record };

export interface ConflictRetries {
  readonly attempts: number;
  /** What the caller is told when every attempt met another change: "The task changed at the same time. Try again." */
  readonly message: string;
}

/**
 * Repeats a compare-and-set write with the record that it met, until one attempt has a result.
 *
 * @throws {Unavailable} every attempt met another change; nothing is written
 */
export async function retryOnConflict<Record, Result>(
  seen: Record,
  { attempts, message }: ConflictRetries,
  attempt: (record: Record) => Promise<Attempt<Record, Result>>,
): Promise<Result> {
  let record = seen;
  for (let count = 1; count <= attempts; count += 1) {
    const outcome = await attempt(record);
    if ('result' in outcome) return outcome.result;
    record = outcome.met;
  }
  throw new Unavailable(message);
}
