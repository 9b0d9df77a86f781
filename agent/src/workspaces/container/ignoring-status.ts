/** Of a container that is not there, or is there and does not run: it ends, or is about to be removed. */
export const awayStatuses: readonly number[] = [404, 409];

export const hasStatus = (error: unknown, statuses: readonly number[]): boolean =>
  error instanceof Error && 'statusCode' in error && statuses.includes(Number(error.statusCode));

/** Null when the engine answers with one of these statuses: "not there", "is so already". */
export async function ignoringStatus<T>(statuses: readonly number[], work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (hasStatus(error, statuses)) return null;
    throw error;
  }
}
