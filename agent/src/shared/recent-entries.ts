/** The last `limit` entries, by key. A new key drops the oldest. */
export class RecentEntries<Value> {
  private readonly entries = new Map<string, Value>();

  constructor(private readonly limit: number) {}

  find(key: string): Value | undefined {
    return this.entries.get(key);
  }

  set(key: string, value: Value): void {
    this.entries.set(key, value);
    const [oldest] = this.entries.keys();
    if (this.entries.size > this.limit && oldest !== undefined) this.entries.delete(oldest);
  }
}
