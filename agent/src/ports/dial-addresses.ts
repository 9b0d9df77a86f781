import type { ListeningSocket } from './listening-sockets.js';

const anyIpv4 = '0.0.0.0';
const anyIpv6 = '::';

/**
 * Addresses at which a port of the workspace is reached, best first. Where others of this machine listen on the same
 * port, addresses that might lead to them are left out.
 */
export function dialAddresses(own: readonly ListeningSocket[], others: readonly ListeningSocket[]): string[] {
  const wanted = [...new Set(own.flatMap(({ address }) => waysTo(address)))];
  return wanted.filter((address) => !others.some((other) => covers(other.address, address)));
}

/** A socket of all IPv6 addresses nearly always serves those of IPv4 too, and containers may have no IPv6 at all. */
function waysTo(address: string): string[] {
  if (address === anyIpv4) return ['127.0.0.1'];
  if (address === anyIpv6) return ['127.0.0.1', '::1'];
  return [address];
}

function covers(listening: string, dialled: string): boolean {
  if (listening === anyIpv6) return true;
  if (listening === anyIpv4) return dialled.includes('.');
  return listening === dialled;
}
