/** Runs one task at a time for each key, in order. */
export class KeyLock {
  private readonly tails = new Map<string, Promise<unknown>>();

  /** Whether a task of this key runs or waits. */
  isHeld(key: string): boolean {
    return this.tails.has(key);
  }

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.tails.get(key) ?? Promise.resolve();
    const result = before.then(work);
    const tail = result.catch(() => undefined);
    this.tails.set(key, tail);
    try {
      return await result;
    } finally {
      if (this.tails.get(key) === tail) this.tails.delete(key);
    }
  }
}
