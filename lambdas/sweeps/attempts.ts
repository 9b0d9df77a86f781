import type { Log } from '../shared/log.js';

/** The parts of a sweep do not depend on each other: one that fails holds up none of the others. */
export class Attempts {
  private readonly failures: unknown[] = [];

  constructor(private readonly log: Log) {}

  async at(work: () => Promise<unknown>, message: string, ids: Readonly<Record<string, string>>) {
    try {
      await work();
    } catch (error) {
      this.failures.push(error);
      this.log.error(message, { ...ids, error });
    }
  }

  /** @throws {AggregateError} what failed */
  end(): void {
    const { failures } = this;
    if (failures.length > 0)
      throw new AggregateError(failures, `${failures.length} parts of the sweep failed`);
  }
}
