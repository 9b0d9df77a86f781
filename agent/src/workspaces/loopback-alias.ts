const loopback = new Set(['localhost', '127.0.0.1']);

/**
 * The address by which containers reach what this machine has at its own loopback address, where the laptop cloud has
 * its services. Null: addresses mean the same inside of a container and outside.
 */
export type LoopbackAlias = string | null;

export function seenFromContainers(url: string, alias: LoopbackAlias): string {
  const parsed = new URL(url);
  if (alias === null || !loopback.has(parsed.hostname)) return url;
  parsed.hostname = alias;
  return parsed.href;
}

/** An address that git is to use in place of another of the same code host. */
export interface UrlSwap {
  readonly from: string;
  readonly to: string;
}

/** Leads git in a container to the code host of this clone address; null where the address is as good there. */
export function swapFor(cloneUrl: string | null, alias: LoopbackAlias): UrlSwap | null {
  if (cloneUrl === null) return null;
  const from = `${new URL(cloneUrl).origin}/`;
  const to = seenFromContainers(from, alias);
  return from === to ? null : { from, to };
}
