/** A failure of a Docker operation, with a message for people. */
export class DockerError extends Error {
  override readonly name = 'DockerFailed';
}

const awayCodes = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE']);

/** Whether the engine is not reachable at its socket, or the connection broke. */
export function isEngineUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('syscall' in error && 'code' in error && awayCodes.has(String(error.code))) return true;
  return (
    /socket hang up|Docker engine is not available/.test(error.message) || isEngineUnavailable(error.cause)
  );
}

/** Whether the engine itself failed (status 5xx). */
export function isEngineFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ('statusCode' in error && Number(error.statusCode) >= 500) || isEngineFailure(error.cause);
}

/** Statuses of a container that does not exist, does not run, or is being removed. */
export const awayStatuses: readonly number[] = [404, 409];

export const hasStatus = (error: unknown, statuses: readonly number[]): boolean =>
  error instanceof Error && 'statusCode' in error && statuses.includes(Number(error.statusCode));

/** Returns null when the engine answers with one of these statuses. */
export async function ignoringStatus<T>(statuses: readonly number[], work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (hasStatus(error, statuses)) return null;
    throw error;
  }
}
