import type { Reservation } from '../../../../protocol/node-api.js';

/** Of the machine that the engine runs on. */
export interface NodeSize {
  readonly processors: number;
  readonly memoryBytes: number;
}

export interface ContainerLimits {
  readonly Memory: number;
  readonly MemorySwap: number;
  readonly NanoCpus: number;
  readonly PidsLimit: number;
}

const mebibyte = 2 ** 20;
/** No workspace gets the memory that engine, agent and kernel work with. */
const reserveBytes = 512 * mebibyte;
/** With less, not even a shell and an editor's server run. */
const leastBytes = 512 * mebibyte;
const leastProcessors = 0.25;
const processesPerMebibyte = 2;

/**
 * What one workspace may use of its node: its reservation, or half of what the node has for workspaces if the control
 * plane gave none. Never the whole node, whatever was reserved.
 */
export function limitsOf(reservation: Reservation | undefined, node: NodeSize): ContainerLimits {
  const most = Math.max(node.memoryBytes - reserveBytes, node.memoryBytes / 2);
  const wantedBytes = reservation?.memoryMb ? reservation.memoryMb * mebibyte : most / 2;
  const memory = Math.floor(within(wantedBytes, leastBytes, most));
  const wantedProcessors = reservation?.cpuMillis
    ? reservation.cpuMillis / 1_000
    : Math.max(1, node.processors / 2);
  const processors = within(wantedProcessors, leastProcessors, node.processors);
  return {
    Memory: memory,
    // The same figure: memory and swap together, so that none of it is swap.
    MemorySwap: memory,
    NanoCpus: Math.floor(processors * 1_000) * 1_000_000,
    PidsLimit: within(Math.floor(memory / mebibyte) * processesPerMebibyte, 1_024, 8_192),
  };
}

function within(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}
