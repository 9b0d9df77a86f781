const loopback = new Set(['localhost', '127.0.0.1']);

/**
 * The host name by which containers reach services at this machine's loopback address, as in the
 * laptop cloud. Null: containers need no other name.
 */
export type LoopbackAlias = string | null;

export function seenFromContainers(url: string, alias: LoopbackAlias): string {
  const parsed = new URL(url);
  if (alias === null || !loopback.has(parsed.hostname)) return url;
  parsed.hostname = alias;
  return parsed.href;
}

/** A URL prefix that git replaces by another one of the same code host. */
export interface UrlSwap {
  readonly from: string;
  readonly to: string;
}

/**
 * Makes git in a container use the alias for the code host of this clone URL; null when not needed.
 */
export function swapFor(cloneUrl: string | null, alias: LoopbackAlias): UrlSwap | null {
  if (cloneUrl === null) return null;
  const from = `${new URL(cloneUrl).origin}/`;
  const to = seenFromContainers(from, alias);
  return from === to ? null : { from, to };
}
