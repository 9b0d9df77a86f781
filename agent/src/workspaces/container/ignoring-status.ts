/** Null when the engine answers with one of these statuses: "not there", "is so already". */
export async function ignoringStatus<T>(statuses: readonly number[], work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && 'statusCode' in error && statuses.includes(Number(error.statusCode)))
      return null;
    throw error;
  }
}
