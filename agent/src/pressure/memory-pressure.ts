import type { PressureLevel } from './pressure.js';

/** Per cent of the time in which tasks waited for memory. */
export interface Stall {
  readonly avg10: number;
  readonly avg60: number;
  readonly avg300: number;
  /** Microseconds since the boot. */
  readonly total: number;
}

/** `some`: at least one task waited; `full`: all tasks did. */
export interface MemoryPressure {
  readonly some: Stall;
  readonly full: Stall;
}

interface Thresholds {
  readonly warning: number;
  readonly critical: number;
}

export type PressureThresholds = Readonly<Record<'some' | 'full', Thresholds>>;

/** The content of /proc/pressure/memory. @throws when one of the two lines is missing */
export function parseMemoryPressure(text: string): MemoryPressure {
  return { some: stallOf(text, 'some'), full: stallOf(text, 'full') };
}

function stallOf(text: string, kind: 'some' | 'full'): Stall {
  const line = new RegExp(
    `^${kind} avg10=([\\d.]+) avg60=([\\d.]+) avg300=([\\d.]+) total=(\\d+)$`,
    'm',
  ).exec(text);
  const [avg10, avg60, avg300, total] = (line ?? []).slice(1).map(Number);
  if (avg10 === undefined || avg60 === undefined || avg300 === undefined || total === undefined)
    throw new Error(`The memory pressure of the kernel has no valid line "${kind}"`);
  if (![avg10, avg60, avg300, total].every(Number.isFinite))
    throw new Error(`The memory pressure of the kernel has a line "${kind}" with an invalid number`);
  return { avg10, avg60, avg300, total };
}

/** The short average shows the start of a stall, the long one a lasting stall. */
export function levelOf({ some, full }: MemoryPressure, thresholds: PressureThresholds): PressureLevel {
  const reaches = (level: 'warning' | 'critical') =>
    Math.max(some.avg10, some.avg60) >= thresholds.some[level] ||
    Math.max(full.avg10, full.avg60) >= thresholds.full[level];
  if (reaches('critical')) return 'critical';
  return reaches('warning') ? 'warning' : 'none';
}
