/**
 * Does slow work for the newest value only: one at a time, and what is overtaken while it waits is never done. The last
 * value wins, however many came before it.
 */
export class LatestOnly<Value> {
  private waiting: { readonly value: Value } | null = null;
  private isBusy = false;

  constructor(
    private readonly work: (value: Value) => Promise<void>,
    private readonly onError: (error: unknown) => void,
  ) {}

  take(value: Value): void {
    this.waiting = { value };
    if (!this.isBusy) void this.run();
  }

  private async run(): Promise<void> {
    this.isBusy = true;
    while (this.waiting) {
      const { value } = this.waiting;
      this.waiting = null;
      await this.work(value).catch(this.onError);
    }
    this.isBusy = false;
  }
}
