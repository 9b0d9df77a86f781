import * as z from 'zod/mini';
import { InvalidRequest } from '../../shared/errors.js';

/** What a node has, or a workspace takes of it. */
export const Resources = z.object({ cpuMillis: z.int(), memoryMb: z.int(), diskMb: z.int() });
export type Resources = z.infer<typeof Resources>;
export const resourceNames = ['cpuMillis', 'memoryMb', 'diskMb'] as const;

/** A machine that the deployment may launch, with the disk that it gets. */
export const InstanceType = z.object({
  name: z.string(),
  vcpu: z.int(),
  memoryGb: z.number(),
  diskGb: z.int(),
});
export type InstanceType = z.infer<typeof InstanceType>;

/** Agent, container engine and kernel. */
const hostMemoryMb = 512;
/** The system, the coding agents and the default workspace image. */
const imageDiskMb = 12 * 1024;

/** What workspaces can take of a machine of this type. */
export const resourcesOf = ({ vcpu, memoryGb, diskGb }: InstanceType): Resources => ({
  cpuMillis: vcpu * 1_000,
  memoryMb: Math.floor(memoryGb * 1_024) - hostMemoryMb,
  diskMb: diskGb * 1_024 - imageDiskMb,
});

export interface Offer {
  /** In the order of preference, the smallest first. */
  readonly types: readonly InstanceType[];
  /** How much more CPU than a node has may be reserved on it. Memory and disk have no factor. */
  readonly cpuOvercommit: number;
}

/** What may be reserved of these resources. */
export const reservable = ({ cpuMillis, ...rest }: Resources, cpuOvercommit: number): Resources => ({
  ...rest,
  cpuMillis: Math.floor(cpuMillis * cpuOvercommit),
});

export const fits = (need: Resources, room: Resources): boolean =>
  resourceNames.every((name) => need[name] <= room[name]);

interface TypeRoom {
  readonly type: InstanceType;
  /** What workspaces may reserve of a machine of this type. */
  readonly room: Resources;
}

const roomsOf = ({ types, cpuOvercommit }: Offer): readonly TypeRoom[] =>
  types.map((type) => ({ type, room: reservable(resourcesOf(type), cpuOvercommit) }));

/** The types that hold a reservation, the first one is preferred. */
export const typesHolding = (need: Resources, offer: Offer): readonly InstanceType[] =>
  roomsOf(offer).flatMap(({ type, room }) => (fits(need, room) ? [type] : []));

/**
 * The same, of a reservation that the request states.
 *
 * @throws {InvalidRequest} there is none
 */
export function typesFor(need: Resources, offer: Offer): readonly InstanceType[] {
  const found = typesHolding(need, offer);
  if (found.length > 0) return found;
  const rooms = roomsOf(offer);
  const missing = resourceNames.filter((name) => rooms.every(({ room }) => room[name] < need[name]));
  throw new InvalidRequest(
    noTypeInWords(offer),
    // Without one: each amount is there, but no type has all of them.
    (missing.length > 0 ? missing : resourceNames).map((name) => ({
      field: `resourceRequirements.${fieldOf[name]}`,
      message: `Must be at most ${Math.max(...rooms.map(({ room }) => amountOf(room, name)))}.`,
    })),
    'RESOURCES_TOO_LARGE',
  );
}

export function noTypeInWords(offer: Offer): string {
  // The order of the list is that of preference.
  const [largest] = roomsOf(offer).toSorted((a, b) => b.room.memoryMb - a.room.memoryMb);
  return `No node of this deployment is large enough.${largest ? ` The largest type, ${largest.type.name}, has ${inWords(largest.room)} for workspaces.` : ''}`;
}

const fieldOf = { cpuMillis: 'minVcpu', memoryMb: 'minMemoryGb', diskMb: 'minDiskGb' } as const;

/** In the unit of the request. */
const amountOf = (room: Resources, name: keyof Resources): number =>
  room[name] / (name === 'cpuMillis' ? 1_000 : 1_024);

/** With one digit. */
export const inGb = (mb: number): number => Math.round((mb / 1_024) * 10) / 10;

export const inWords = (room: Resources): string =>
  `${amountOf(room, 'cpuMillis')} vCPU, ${amountOf(room, 'memoryMb')} GB of memory and ${amountOf(room, 'diskMb')} GB of disk`;
