import { readFileSync } from 'node:fs';
import type { Log } from '../shared/log.js';
import {
  levelOf,
  type MemoryPressure,
  type PressureThresholds,
  parseMemoryPressure,
} from './memory-pressure.js';
import type { PressureLevel } from './pressure.js';

export const memoryPressureFile = '/proc/pressure/memory';

export interface MemoryState {
  /** False on a kernel without pressure metrics: then nothing is sampled. */
  readonly isAvailable: boolean;
  readonly level: PressureLevel;
  /** The last sample that could be read. */
  readonly pressure: MemoryPressure | null;
  readonly collectedAt: Date | null;
}

/** Samples the kernel's memory pressure. */
export class MemoryMonitor {
  private held: MemoryState = { isAvailable: true, level: 'none', pressure: null, collectedAt: null };

  constructor(
    private readonly thresholds: PressureThresholds,
    private readonly log: Log,
    private readonly path = memoryPressureFile,
  ) {}

  get state(): MemoryState {
    return this.held;
  }

  /**
   * Null when no new sample could be taken. A missing file ends the sampling; any other failure
   * keeps the last state.
   */
  sample(now: Date): MemoryState | null {
    if (!this.held.isAvailable) return null;
    try {
      const pressure = this.read();
      const level = levelOf(pressure, this.thresholds);
      this.held = { isAvailable: true, level, pressure, collectedAt: now };
      return this.held;
    } catch (error) {
      this.fail(error);
      return null;
    }
  }

  /** Whether the level has become critical since the last sample. Changes nothing. */
  hasBecomeCritical(): boolean {
    const { isAvailable, level } = this.held;
    if (!isAvailable || level === 'critical') return false;
    try {
      return levelOf(this.read(), this.thresholds) === 'critical';
    } catch {
      // The next sample reports it.
      return false;
    }
  }

  /** Synchronous: the kernel answers from memory, also while the disk is busy with swapping. */
  private read(): MemoryPressure {
    return parseMemoryPressure(readFileSync(this.path, 'utf8'));
  }

  private fail(error: unknown): void {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      this.held = { isAvailable: false, level: 'none', pressure: null, collectedAt: null };
      this.log.info('The kernel has no memory pressure metrics. Memory pressure is not watched');
    } else this.log.warn('The memory pressure could not be read', { error });
  }
}
