import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';

/** While a file of this name is in the folder, the stand-in refuses the launches that it lists. */
export const refusedLaunchesFile = 'refused-launches.json';

const LaunchRefusal = z.object({
  /** Without it: every subnet. */
  subnetId: z.optional(z.string()),
  /** Without it: every instance type. */
  instanceType: z.optional(z.string()),
  /** Error code of EC2, for example `InsufficientInstanceCapacity`. */
  code: z.string(),
});
export type LaunchRefusal = z.infer<typeof LaunchRefusal>;

interface LaunchPlace {
  readonly subnetId: string;
  readonly instanceType: string;
}

/** The error code with which a launch in this place is refused. */
export function refusalOf(folder: string, place: LaunchPlace): string | undefined {
  const file = join(folder, refusedLaunchesFile);
  if (!existsSync(file)) return undefined;
  const refusals = z.array(LaunchRefusal).parse(JSON.parse(readFileSync(file, 'utf8')));
  return refusals.find(
    ({ subnetId = place.subnetId, instanceType = place.instanceType }) =>
      subnetId === place.subnetId && instanceType === place.instanceType,
  )?.code;
}
