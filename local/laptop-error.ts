/**
 * A problem that the person at this machine can solve: shown as its message alone. Anything else is
 * a bug.
 */
export class LaptopError extends Error {
  override readonly name = 'LaptopError';
}
