import * as z from 'zod/mini';

/** What this node has, and what the workspace may use of it. */
export interface NodeResources {
  readonly node: { readonly processors: number; readonly memoryBytes: number };
  readonly workspace: { readonly processors: number; readonly memoryBytes: number };
  readonly freeDiskBytes: number;
}

const gibibyte = 2 ** 30;
const units = { kb: 2 ** 10, mb: 2 ** 20, gb: gibibyte, tb: 2 ** 40 } as const;
/** A machine of 8 GB has less for programs, and a disk of 64 GB less for files. */
const tolerance = 0.9;
const shownLength = 100;

const Size = z.string().check(z.regex(/^\d{1,15}(?:[kmgt]b)?$/i, 'is not a size such as "8gb"'));
const Processors = z
  .int('is not a whole number')
  .check(z.minimum(1, 'is less than 1'), z.maximum(1_000_000, 'is too large'));

/**
 * The requirements that the node or the workspace does not meet, in words, and notes about values
 * that are not valid. The specification calls them recommendations.
 */
export function unmetRequirements(
  requested: unknown,
  resources: NodeResources,
): { readonly unmet: readonly string[]; readonly notes: readonly string[] } {
  const notes: string[] = [];
  if (requested === undefined) return { unmet: [], notes };
  const parsed = z.looseObject({}).safeParse(requested);
  if (!parsed.success) return { unmet: [], notes: ['hostRequirements ignored: it must be an object'] };
  const { cpus, memory, storage } = parsed.data;
  const unmet = [
    processorText(checked(Processors, ['cpus', cpus], notes), resources),
    memoryText(bytesOf(checked(Size, ['memory', memory], notes)), resources),
    storageText(bytesOf(checked(Size, ['storage', storage], notes)), resources),
  ];
  return { unmet: unmet.filter((text) => text !== null), notes };
}

/** Null: absent, or not valid. */
function checked<Value>(
  schema: z.ZodMiniType<Value>,
  [name, value]: readonly [name: string, value: unknown],
  notes: string[],
): Value | null {
  if (value === undefined) return null;
  const parsed = z.safeParse(schema, value);
  if (parsed.success) return parsed.data;
  const shown = JSON.stringify(value).slice(0, shownLength);
  notes.push(`hostRequirements.${name} ignored: ${shown} ${parsed.error.issues[0]?.message}`);
  return null;
}

function bytesOf(size: string | null): number | null {
  if (size === null) return null;
  const unit = Object.entries(units).find(([name]) => size.toLowerCase().endsWith(name));
  return Number.parseInt(size, 10) * (unit?.[1] ?? 1);
}

function processorText(wanted: number | null, { node, workspace }: NodeResources): string | null {
  if (wanted === null || workspace.processors >= wanted) return null;
  const has = `The node has ${node.processors} processors, and the workspace may use ${rounded(workspace.processors)}`;
  const help = helpText(`minVcpu to ${wanted}`, node.processors >= wanted);
  return `The dev container requires ${wanted} processors (hostRequirements.cpus). ${has}. ${help}`;
}

function memoryText(wanted: number | null, { node, workspace }: NodeResources): string | null {
  if (wanted === null || workspace.memoryBytes >= wanted * tolerance) return null;
  const has = `The node has ${inGigabytes(node.memoryBytes)}, and the workspace may use ${inGigabytes(workspace.memoryBytes)}`;
  const help = helpText(`minMemoryGb to ${ceiling(wanted)}`, node.memoryBytes >= wanted * tolerance);
  return `The dev container requires ${inGigabytes(wanted)} of memory (hostRequirements.memory). ${has}. ${help}`;
}

function storageText(wanted: number | null, { freeDiskBytes }: NodeResources): string | null {
  if (wanted === null || freeDiskBytes >= wanted * tolerance) return null;
  const has = `The disk of the node has ${inGigabytes(freeDiskBytes)} free`;
  const help = helpText(`minDiskGb to ${ceiling(wanted)}`, false);
  return `The dev container requires ${inGigabytes(wanted)} of storage (hostRequirements.storage). ${has}. ${help}`;
}

function helpText(setting: string, isEnough: boolean): string {
  return isEnough ? `Set ${setting} for the workspace.` : `Set ${setting}, and use a larger node.`;
}

function inGigabytes(bytes: number): string {
  return `${rounded(bytes / gibibyte)} GB`;
}

function ceiling(bytes: number): number {
  return Math.ceil(bytes / gibibyte);
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
