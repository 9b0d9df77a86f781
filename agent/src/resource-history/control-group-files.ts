import { readFileSync } from 'node:fs';

/**
 * Content of a file of a control group, or undefined when it is missing. Synchronous: the kernel
 * answers from memory, and the thread pool costs several times the CPU time of the read.
 */
export function readControlFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

export const parseNumber = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d+\s*$/.test(text) ? Number(text) : undefined;

/** The number of the line `<name> <number>`. */
export function parseField(text: string | undefined, name: string): number | undefined {
  const line = text?.split('\n').find((candidate) => candidate.startsWith(`${name} `));
  return parseNumber(line?.slice(name.length + 1));
}

/** Sum of the first group of all matches, 0 when a device was never used. */
export function sumMatches(text: string | undefined, pattern: RegExp): number | undefined {
  if (text === undefined) return undefined;
  return [...text.matchAll(pattern)].reduce((sum, match) => sum + Number(match[1]), 0);
}

export const workingSet = (usage?: number, inactiveFile?: number): number | undefined =>
  usage === undefined || inactiveFile === undefined ? undefined : Math.max(0, usage - inactiveFile);

export const divide = (value: number | undefined, divisor: number): number | undefined =>
  value === undefined ? undefined : value / divisor;
