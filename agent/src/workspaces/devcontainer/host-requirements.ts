import { readHostRequirements } from '../../../../protocol/host-requirements.js';

/** What this node has, and what the workspace may use of it. */
export interface NodeResources {
  readonly node: { readonly processors: number; readonly memoryBytes: number };
  readonly workspace: { readonly processors: number; readonly memoryBytes: number };
  readonly freeDiskBytes: number;
}

const gibibyte = 2 ** 30;
/** A machine of 8 GB has less for programs, and a disk of 64 GB less for files. */
const tolerance = 0.9;

/**
 * The requirements that the node or the workspace does not meet, in words, and notes about values
 * that are not valid. The specification calls them recommendations.
 */
export function unmetRequirements(
  requested: unknown,
  resources: NodeResources,
): { readonly unmet: readonly string[]; readonly notes: readonly string[] } {
  const { requirements, notes } = readHostRequirements(requested);
  const unmet = [
    processorText(requirements.cpus, resources),
    memoryText(requirements.memoryBytes, resources),
    storageText(requirements.storageBytes, resources),
  ];
  return { unmet: unmet.filter((text) => text !== null), notes };
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
