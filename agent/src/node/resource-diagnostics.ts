import { availableParallelism } from 'node:os';
import { type NodeMetrics, readNodeMetrics } from './node-metrics.js';

const saturatedPerProcessor = 2;
/** Of memory or disk. */
export const exhaustedPercent = 90;

/** The load of the machine at a timeout, for the event and in words. */
export interface ResourceDiagnostics {
  readonly metrics: NodeMetrics;
  readonly numCpu: number;
  readonly cpuPerCore: number;
  readonly cpuSaturated: boolean;
  readonly memExhausted: boolean;
  readonly diskFull: boolean;
  readonly message: string;
}

export async function readResourceDiagnostics(diskPath: string): Promise<ResourceDiagnostics> {
  return resourceDiagnostics(await readNodeMetrics(diskPath), availableParallelism());
}

export function resourceDiagnostics(metrics: NodeMetrics, numCpu: number): ResourceDiagnostics {
  const { cpuLoadAvg1, memoryPercent, diskPercent } = metrics;
  const cpuPerCore = Math.round((cpuLoadAvg1 / numCpu) * 100) / 100;
  const found = {
    cpuSaturated: cpuPerCore > saturatedPerProcessor,
    memExhausted: memoryPercent > exhaustedPercent,
    diskFull: diskPercent > exhaustedPercent,
  };
  const numbers = `Load ${cpuLoadAvg1.toFixed(1)} on ${numCpu} processors, ${memoryPercent} % of memory and ${diskPercent} % of the disk used`;
  return { metrics, numCpu, cpuPerCore, ...found, message: `${numbers}${conclusion(found)}` };
}

function conclusion(found: Pick<ResourceDiagnostics, 'cpuSaturated' | 'memExhausted' | 'diskFull'>): string {
  const problems = [
    ...(found.cpuSaturated ? ['the processors are saturated'] : []),
    ...(found.memExhausted ? ['memory is nearly exhausted'] : []),
    ...(found.diskFull ? ['the disk is nearly full'] : []),
  ];
  if (problems.length === 0) return '.';
  return `: ${problems.join(', ')}. Use a larger node, or fewer workspaces on it.`;
}
