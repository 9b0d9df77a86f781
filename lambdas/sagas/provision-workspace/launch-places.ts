import type { InstanceType } from '../../domain/nodes/instance-types.js';
import { type Exhausted, everyType } from '../../domain/nodes/launch-cooldown.js';

export interface LaunchPlace {
  readonly subnetId: string;
  readonly type: InstanceType;
}

interface Launched {
  readonly instanceId: string;
  readonly type: InstanceType;
}

export interface LaunchRefusal extends LaunchPlace {
  readonly error: Error;
}

/** What a RunInstances error is about: only a launch elsewhere can avoid it. */
type Scope = 'place' | 'type' | 'account';

const scopes: Readonly<Record<string, Scope>> = {
  InsufficientFreeAddressesInSubnet: 'place',
  InsufficientHostCapacity: 'place',
  InsufficientInstanceCapacity: 'place',
  InsufficientVolumeCapacity: 'place',
  'InvalidSubnetID.NotFound': 'place',
  Unsupported: 'place',
  VolumeTypeNotAvailableInZone: 'place',
  InstanceLimitExceeded: 'type',
  VcpuLimitExceeded: 'type',
  RequestLimitExceeded: 'account',
};

/** Errors of places in which a later launch fails in the same way. */
const permanentErrors: ReadonlySet<string> = new Set([
  'InvalidSubnetID.NotFound',
  'Unsupported',
  'VolumeTypeNotAvailableInZone',
]);

export const mayPass = ({ error }: LaunchRefusal): boolean => !permanentErrors.has(error.name);

/**
 * All places: in each subnet, each type in the operator's order. The first subnet differs between
 * nodes, so that their launches spread over the zones.
 */
export function launchPlaces(
  nodeId: string,
  subnetIds: readonly string[],
  types: readonly InstanceType[],
): readonly LaunchPlace[] {
  const start = nodeId.charCodeAt(nodeId.length - 1) % subnetIds.length;
  const subnets = [...subnetIds.slice(start), ...subnetIds.slice(0, start)];
  return subnets.flatMap((subnetId) => types.map((type) => ({ subnetId, type })));
}

interface Attempts {
  readonly launch: (place: LaunchPlace) => Promise<string>;
  /** After each refusal, with the place that is tried next. */
  readonly report: (refusal: LaunchRefusal, next: LaunchPlace | undefined) => Promise<void>;
}

/** Launches in the first place that EC2 accepts. @throws an error that no other place avoids */
export async function launchInOneOf(
  places: readonly LaunchPlace[],
  { launch, report }: Attempts,
): Promise<{ readonly launched: Launched | undefined; readonly refusals: readonly LaunchRefusal[] }> {
  const refusals: LaunchRefusal[] = [];
  let rest = places;
  for (let place = rest[0]; place; place = rest[0]) {
    const launched = await launch(place).catch(avoidableError);
    if (typeof launched === 'string')
      return { launched: { instanceId: launched, type: place.type }, refusals };
    const refusal = { ...place, error: launched };
    refusals.push(refusal);
    rest = placesAfter(rest.slice(1), refusal);
    await report(refusal, rest[0]);
  }
  return { launched: undefined, refusals };
}

function placesAfter(rest: readonly LaunchPlace[], refusal: LaunchRefusal): readonly LaunchPlace[] {
  switch (scopes[refusal.error.name]) {
    case 'type':
      return rest.filter(({ type }) => type !== refusal.type);
    case 'account':
      return onePlaceEach(rest, refusal);
    default:
      return rest;
  }
}

/** The next type and the next zone, once each: a request for every place is throttled longer. */
function onePlaceEach(rest: readonly LaunchPlace[], { subnetId }: LaunchPlace): readonly LaunchPlace[] {
  const nextType = rest.find((place) => place.subnetId === subnetId);
  const nextZone = rest.find((place) => place.subnetId !== subnetId);
  return [nextType, nextZone].filter((place) => place !== undefined);
}

/**
 * The code of a start that EC2 refuses, which a launch in another place avoids.
 *
 * @throws any other error
 */
export const refusalCode = (error: unknown): string => avoidableError(error).name;

/** @throws an error that a launch in another place does not avoid */
function avoidableError(error: unknown): Error {
  if (error instanceof Error && scopes[error.name]) return error;
  throw error;
}

/** Errors that say that the account, not a type, has nothing left. */
const accountErrors: ReadonlySet<string> = new Set(['RequestLimitExceeded', 'VcpuLimitExceeded']);

/** The types that a launch in the next minutes would not get either. */
export function exhaustedTypes(
  refusals: readonly LaunchRefusal[],
  places: readonly LaunchPlace[],
  wasLaunched: boolean,
): readonly Exhausted[] {
  const passing = refusals.filter(mayPass);
  const account = wasLaunched ? undefined : passing.find(({ error }) => accountErrors.has(error.name));
  if (account) return [{ type: everyType, code: account.error.name }];
  const types = new Set(passing.map(({ type }) => type));
  return [...types].flatMap((type) => {
    const own = refusals.filter((refusal) => refusal.type === type);
    const isEverywhere = own.length === places.filter((place) => place.type === type).length;
    const isOfType = own.some(({ error }) => scopes[error.name] === 'type');
    const last = own.findLast(mayPass);
    return last && (isEverywhere || isOfType) ? [{ type: type.name, code: last.error.name }] : [];
  });
}

/** EC2 names the zone in its message. */
const zoneName = /\b[a-z]{2}(?:-[a-z]+)+-\d[a-z]\b/;

/** A refusal in words, for the boot log. */
export function refusalInWords(refusal: LaunchRefusal, next: LaunchPlace | undefined): string {
  return `${causeOf(refusal)}; ${next ? `trying ${nextInWords(refusal, next)}` : 'no other type or zone is left'}`;
}

function causeOf({ error, type, subnetId }: LaunchRefusal): string {
  const zone = zoneName.exec(error.message)?.[0] ?? subnetId;
  switch (error.name) {
    case 'InsufficientInstanceCapacity':
    case 'InsufficientHostCapacity':
      return `EC2 has no ${type.name} in ${zone} at present`;
    case 'VcpuLimitExceeded':
    case 'InstanceLimitExceeded':
      return `The quota of the AWS account allows no further ${type.name} (${error.name})`;
    case 'RequestLimitExceeded':
      return 'EC2 throttles the requests of the AWS account';
    default:
      return `EC2 refuses ${type.name} in ${zone} (${error.name})`;
  }
}

const nextInWords = (refusal: LaunchRefusal, next: LaunchPlace): string =>
  next.subnetId === refusal.subnetId
    ? next.type.name
    : `${next.type.name} in another zone (${next.subnetId})`;
