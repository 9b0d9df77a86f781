/** The page of the port loads within this time. */
const validMs = 30_000;

/**
 * A person's choice of a port in the console, for the page that opens the port in a new tab. Any
 * site can link to that page, but only the console writes to its storage.
 */
export class PortIntent {
  private readonly key: string;

  constructor(
    private readonly storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>,
    service: string,
  ) {
    this.key = `chosen:${service}`;
  }

  record(now: number): void {
    this.storage.setItem(this.key, String(now));
  }

  /** Whether the person chose the port a moment ago. One choice is valid once. */
  take(now: number): boolean {
    const chosen = Number(this.storage.getItem(this.key) ?? Number.NaN);
    this.storage.removeItem(this.key);
    return now - chosen >= 0 && now - chosen < validMs;
  }
}
