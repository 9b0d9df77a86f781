/** @throws when the work is not done in time; it goes on, and nobody waits for it */
export function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('No answer in time')), ms);
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}
