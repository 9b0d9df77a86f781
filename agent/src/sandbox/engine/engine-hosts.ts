import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { isDockerHub, parseImageName } from './image-name.js';

const internal = new BlockList();
for (const range of [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.168.0.0/16', '198.18.0.0/15', '224.0.0.0/4', '240.0.0.0/4'],
]) {
  const [address = '', prefix] = range.split('/');
  internal.addSubnet(address, Number(prefix), 'ipv4');
}
for (const [address, prefix] of [
  ...([
    ['::', 96],
    ['64:ff9b::', 96],
    ['64:ff9b:1::', 48],
    ['2002::', 16],
  ] as const),
  ...([
    ['fc00::', 7],
    ['fe80::', 10],
    ['ff00::', 8],
  ] as const),
] as const)
  internal.addSubnet(address, prefix, 'ipv6');

/**
 * Whether the address is one of this machine or of a private network. Addresses of other forms
 * count as private.
 */
function isInternal(address: string): boolean {
  const version = isIP(address);
  if (version === 0) return true;
  const own = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
  if (own.some((entry) => entry.address === address)) return true;
  return internal.check(address, version === 6 ? 'ipv6' : 'ipv4');
}

/** Host names, with or without a port, that the operator allows for builds. */
export type AllowedHosts = readonly string[];

export function isAllowedHost(host: string, allowed: AllowedHosts): boolean {
  const name = host.toLowerCase();
  return allowed.includes(name) || allowed.includes(name.replace(/:\d+$/, ''));
}

/**
 * Why the engine must not contact the registry of an image; null: it may. The engine runs on the
 * network of the machine, with the machine's loopback address.
 */
export async function registryObstacle(image: string, allowed: AllowedHosts): Promise<string | null> {
  const parsed = parseImageName(image);
  if (parsed === null) return 'the image name is not valid';
  const { registry } = parsed;
  if (isDockerHub(parsed) || isAllowedHost(registry, allowed)) return null;
  const host = registry.replace(/:\d+$/, '');
  const found = await lookup(host, { all: true }).catch(() => null);
  // The engine cannot reach it either; it uses a local image of this name.
  if (found === null) return host === 'localhost' ? privateHost(registry) : null;
  return found.some(({ address }) => isInternal(address)) ? privateHost(registry) : null;
}

function privateHost(registry: string): string {
  return `registry ${registry} is at a private address. Add it to DEVCONTAINER_BUILD_HOSTS to allow it`;
}
