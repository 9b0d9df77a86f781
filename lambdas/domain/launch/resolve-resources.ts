import * as z from 'zod/mini';
import { type LaunchLayer, LayerName, type ResourceLayer } from './launch-layer.js';
import { platformResources } from './platform-layer.js';

const from = LayerName;
const amount = z.object({ value: z.number(), from });

export const ResolvedResources = z.object({
  minVcpu: amount,
  minMemoryGb: amount,
  minDiskGb: amount,
  exclusiveNode: z.object({ value: z.boolean(), from }),
  maxCoTenants: amount,
});
export type ResolvedResources = z.infer<typeof ResolvedResources>;

/** What a launch takes of a node, in the units that nodes are counted in. */
export const Reservation = z.object({
  cpuMillis: z.int(),
  memoryMb: z.int(),
  diskMb: z.int(),
  exclusiveNode: z.boolean(),
  maxCoTenants: z.int(),
  /** The highest layer that said anything of it. */
  source: LayerName,
  sourceId: z.nullable(z.string()),
  version: z.literal(1),
});
export type Reservation = z.infer<typeof Reservation>;

export interface RankedLayer {
  readonly name: LayerName;
  readonly layer: LaunchLayer;
}

/** Each field by itself: the highest layer that says something of it wins, be it that there is no demand. */
export function resolveResources(layers: readonly RankedLayer[]): ResolvedResources {
  const resolve = <Value>(
    read: (said: ResourceLayer) => Value | null | undefined,
    standard: Value,
    // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: guards in the order of the decision, each with its own outcome
  ): { value: Value; from: LayerName } => {
    for (const { name, layer } of layers) {
      const said = layer.resourceRequirements ? read(layer.resourceRequirements) : undefined;
      if (said !== undefined) return { value: said ?? standard, from: name };
    }
    return { value: standard, from: 'platform' };
  };
  return {
    minVcpu: resolve<number>(({ minVcpu }) => minVcpu, platformResources.minVcpu),
    minMemoryGb: resolve<number>(({ minMemoryGb }) => minMemoryGb, platformResources.minMemoryGb),
    minDiskGb: resolve<number>(({ minDiskGb }) => minDiskGb, platformResources.minDiskGb),
    exclusiveNode: resolve<boolean>(({ exclusiveNode }) => exclusiveNode, platformResources.exclusiveNode),
    maxCoTenants: resolve<number>(({ maxCoTenants }) => maxCoTenants, platformResources.maxCoTenants),
  };
}

export function reserve(resources: ResolvedResources, layers: readonly RankedLayer[]): Reservation {
  const speaker = layers.find(({ name }) => Object.values(resources).some((field) => field.from === name));
  return {
    cpuMillis: Math.ceil(resources.minVcpu.value * 1000),
    memoryMb: Math.ceil(resources.minMemoryGb.value * 1024),
    diskMb: Math.ceil(resources.minDiskGb.value * 1024),
    exclusiveNode: resources.exclusiveNode.value,
    maxCoTenants: resources.maxCoTenants.value,
    source: speaker?.name ?? 'platform',
    sourceId: speaker?.layer.id ?? null,
    version: 1,
  };
}
