const returnMs = 10_000;

/** The last time that this tab opened a service. */
export class PreviewVisit {
  private readonly key: string;

  constructor(
    private readonly storage: Pick<Storage, 'getItem' | 'setItem'>,
    service: string,
  ) {
    this.key = `opened:${service}`;
  }

  begin(now: number): void {
    this.storage.setItem(this.key, String(now));
  }

  /** The service sent the browser back at once: it got no cookie, or refused the token. */
  isTooSoon(now: number): boolean {
    const opened = Number(this.storage.getItem(this.key) ?? Number.NaN);
    return now - opened >= 0 && now - opened < returnMs;
  }
}

/**
 * Address of the service, with the token that opens it. The path is one at the service's own host.
 * A service below a path opens at its root.
 */
export function previewAddress(url: string, path: string, token: string): string {
  const asked = new URL(url).pathname === '/' ? URL.parse(path, url) : null;
  // A path such as //example.com names another host, which must not get the token.
  const address = asked && asked.origin === new URL(url).origin ? asked : new URL(url);
  address.search = `${address.search === '' ? '?' : `${address.search}&`}token=${token}`;
  return address.href;
}
