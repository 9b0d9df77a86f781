/**
 * Does the work of a sweep for each record that is due. A record whose work fails is due again in
 * the next pass; the others are done all the same.
 */
export async function eachDue<Due>(
  due: readonly Due[],
  work: (one: Due) => Promise<unknown>,
  failed: (one: Due, error: unknown) => void,
): Promise<void> {
  for (const one of due) {
    try {
      await work(one);
    } catch (error) {
      failed(one, error);
    }
  }
}
