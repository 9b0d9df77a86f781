/**
 * The origins whose pages may read responses of this node: the configured ones, or else only the
 * control plane's own. Other hosts of its domain may be workspaces.
 */
export class AllowedOrigins {
  private readonly configured: readonly ((origin: string) => boolean)[] | null;
  private readonly own: Set<string>;

  constructor(configured: readonly string[] | null, controlPlaneUrl: string) {
    this.configured = configured?.map(matcher) ?? null;
    this.own = new Set([new URL(controlPlaneUrl).origin]);
  }

  allows(origin: string): boolean {
    return this.configured?.some((matches) => matches(origin)) ?? this.own.has(origin);
  }

  /** The console moves when a domain is added or removed; pages of both addresses are open then. */
  add(consoleUrl: string): void {
    this.own.add(new URL(consoleUrl).origin);
  }
}

/** `*` matches one or more labels of a host, but no port and no scheme. */
function matcher(pattern: string): (origin: string) => boolean {
  const [before = '', after] = pattern.split('*');
  if (after === undefined) return (origin) => origin === pattern;
  return (origin) =>
    origin.length > before.length + after.length &&
    origin.startsWith(before) &&
    origin.endsWith(after) &&
    /^[\w.-]+$/.test(origin.slice(before.length, origin.length - after.length));
}
