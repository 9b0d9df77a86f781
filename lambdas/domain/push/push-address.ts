import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

const refused = new BlockList();
const subnets = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15'],
  ...['198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
];
for (const subnet of subnets) {
  const [net = '', prefix] = subnet.split('/');
  refused.addSubnet(net, Number(prefix), 'ipv4');
}
/** The routed addresses. The rest is private, local, mapped or reserved. */
const routed = new BlockList();
routed.addSubnet('2000::', 3, 'ipv6');
/** Of it: documentation, and addresses that contain one of IPv4. */
for (const [net, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  refused.addSubnet(net, prefix, 'ipv6');

export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !refused.check(address, 'ipv4');
  return family === 6 && routed.check(address, 'ipv6') && !refused.check(address, 'ipv6');
}

/** Names that no public resolver knows. */
const localName = /(?:^|\.)(?:localhost|local|internal|intranet|lan|home|corp|test|invalid|onion|arpa)$/;

/**
 * Whether an endpoint may be stored: `https` at a public host name and its usual port. The
 * address behind the name is checked for each connection (`publicLookup`). `local` is the origin
 * of a push service of the laptop, which is exempt.
 */
export function isPushEndpoint(endpoint: string, local: string | undefined): boolean {
  const url = URL.parse(endpoint);
  if (url?.username !== '' || url.password !== '' || url.hash !== '') return false;
  if (local !== undefined && url.origin === local) return true;
  const name = url.hostname.replace(/\.$/, '');
  const isName = name.includes('.') && isIP(name) === 0 && !name.startsWith('[') && !localName.test(name);
  return url.protocol === 'https:' && url.port === '' && isName;
}

/** The host name leads to an address of a private network. */
export class PrivateAddress extends Error {
  override readonly name = 'PrivateAddress';
}

/**
 * Resolves a host name for a connection, which is made to just these addresses: what the name leads
 * to a moment later does not count.
 */
export const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses: LookupAddress[] = []) => {
    const failure = error ?? refusalOf(addresses);
    const [{ address, family } = { address: '', family: 0 }] = addresses;
    if (failure) callback(failure, '', 0);
    else if (options.all) callback(null, addresses);
    else callback(null, address, family);
  });
};

function refusalOf(addresses: readonly LookupAddress[]): Error | undefined {
  const isRefused = addresses.length === 0 || addresses.some(({ address }) => !isPublicAddress(address));
  return isRefused ? new PrivateAddress('The host name has a private address') : undefined;
}
