const awayCodes = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE']);

/** Whether the failure is the engine's absence: nobody at its socket, or nobody any more. */
export function isEngineAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('syscall' in error && 'code' in error && awayCodes.has(String(error.code))) return true;
  return /socket hang up|No Docker engine answers/.test(error.message) || isEngineAway(error.cause);
}

/** Whether the engine itself failed at what it was asked. */
export function isEngineFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ('statusCode' in error && Number(error.statusCode) >= 500) || isEngineFailure(error.cause);
}
