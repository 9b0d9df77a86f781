import { networkInterfaces } from 'node:os';

/** A range of IPv4 addresses, as numbers. */
export interface Subnets {
  readonly first: number;
  readonly size: number;
}

/** Six usable addresses: the gateway's, the container's, and some to spare. */
const subnetPrefix = 29;
const subnetSize = 2 ** (32 - subnetPrefix);

/** Undefined unless the text is a range such as 10.213.0.0/16, of /8 to /24. */
export function parseSubnets(text: string): Subnets | undefined {
  const range = parseRange(text);
  if (!range || range.size < 2 ** 8 || range.size > 2 ** 24) return undefined;
  return range;
}

/** The subnets of the range in an order that depends on `seed`, without those in which this machine has an address. */
export function* subnetsFrom(subnets: Subnets, seed: number): Generator<string> {
  const count = subnets.size / subnetSize;
  const taken = ownRanges();
  for (let step = 0; step < count; step += 1) {
    const first = subnets.first + ((seed + step) % count) * subnetSize;
    if (!taken.some((range) => overlaps(range, { first, size: subnetSize })))
      yield `${addressText(first)}/${subnetPrefix}`;
  }
}

function ownRanges(): Subnets[] {
  const addresses = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
  return addresses.flatMap(({ family, cidr }) => (family === 'IPv4' && cidr ? (parseRange(cidr) ?? []) : []));
}

function parseRange(text: string): Subnets | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\/(\d{1,2})$/.exec(text);
  const [bytes, prefix] = [match?.slice(1, 5).map(Number) ?? [], Number(match?.[5])];
  if (bytes.length !== 4 || bytes.some((byte) => byte > 255) || !(prefix <= 32)) return undefined;
  const size = 2 ** (32 - prefix);
  const address = bytes.reduce((number, byte) => number * 256 + byte, 0);
  return { first: address - (address % size), size };
}

function overlaps(one: Subnets, other: Subnets): boolean {
  return one.first < other.first + other.size && other.first < one.first + one.size;
}

function addressText(address: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.');
}
