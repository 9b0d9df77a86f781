/** Runs one work at a time: a call while it runs begins nothing, and gets the same promise. */
export class SingleFlight {
  private running: Promise<void> | null = null;

  /** Null when nothing runs. */
  get current(): Promise<void> | null {
    return this.running;
  }

  run(work: () => Promise<void>): Promise<void> {
    this.running ??= work().finally(() => {
      this.running = null;
    });
    return this.running;
  }
}
