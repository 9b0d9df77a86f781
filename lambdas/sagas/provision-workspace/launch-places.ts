/** A subnet, and the instance type if it is not the one of the launch template. */
interface LaunchPlace {
  readonly subnetId: string;
  readonly instanceType: string | undefined;
}

/** RunInstances errors that a launch in another subnet can avoid, and one of another type. */
const placeErrors: ReadonlySet<string> = new Set([
  'InsufficientFreeAddressesInSubnet',
  'InsufficientHostCapacity',
  'InsufficientInstanceCapacity',
  'InsufficientVolumeCapacity',
  'InvalidSubnetID.NotFound',
  'Unsupported',
  'VolumeTypeNotAvailableInZone',
]);

/** RunInstances errors that are the same in each subnet: only another type can avoid them. */
const typeErrors: ReadonlySet<string> = new Set(['InstanceLimitExceeded', 'VcpuLimitExceeded']);

/** Errors of places in which a later launch fails in the same way. */
const permanentErrors: ReadonlySet<string> = new Set([
  'InvalidSubnetID.NotFound',
  'Unsupported',
  'VolumeTypeNotAvailableInZone',
]);

/**
 * All places: each type in each subnet. The first subnet differs between nodes, so that their
 * launches spread over the zones.
 */
export function launchPlaces(
  nodeId: string,
  subnetIds: readonly string[],
  instanceTypes: readonly string[],
): readonly LaunchPlace[] {
  const start = nodeId.charCodeAt(nodeId.length - 1) % subnetIds.length;
  const subnets = [...subnetIds.slice(start), ...subnetIds.slice(0, start)];
  return instanceTypes.flatMap((type, index) =>
    subnets.map((subnetId) => ({ subnetId, instanceType: index === 0 ? undefined : type })),
  );
}

/**
 * Launches in the first place that EC2 accepts. @throws the error of EC2 that no other place
 * avoids; if all places fail, one that a later launch may not meet
 */
export async function launchInOneOf(
  places: readonly LaunchPlace[],
  launch: (place: LaunchPlace) => Promise<string>,
): Promise<string> {
  const failures: { readonly type: string | undefined; readonly error: Error }[] = [];
  const isTypeRefused = (type: string | undefined) =>
    failures.some((failure) => failure.type === type && typeErrors.has(failure.error.name));
  for (const place of places) {
    if (isTypeRefused(place.instanceType)) continue;
    const launched = await launch(place).catch(avoidableError);
    if (typeof launched === 'string') return launched;
    failures.push({ type: place.instanceType, error: launched });
  }
  const errors = failures.map(({ error }) => error);
  throw errors.find(({ name }) => !permanentErrors.has(name)) ?? errors[0];
}

/** @throws an error that a launch in another place does not avoid */
function avoidableError(error: unknown): Error {
  if (error instanceof Error && (placeErrors.has(error.name) || typeErrors.has(error.name))) return error;
  throw error;
}
