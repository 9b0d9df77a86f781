import { terminalLimits } from '../../../protocol/terminal.js';
import type { PtySize } from './pty.js';

/** Sizes outside the bounds become the default, as the interface of terminals says. */
export function terminalSize(wanted: {
  readonly rows?: number | undefined;
  readonly cols?: number | undefined;
}): PtySize {
  return {
    rows: bounded(wanted.rows, terminalLimits.maxRows, terminalLimits.defaultRows),
    cols: bounded(wanted.cols, terminalLimits.maxCols, terminalLimits.defaultCols),
  };
}

function bounded(value: number | undefined, max: number, fallback: number): number {
  const isGood = value !== undefined && Number.isInteger(value) && value >= 1 && value <= max;
  return isGood ? value : fallback;
}
