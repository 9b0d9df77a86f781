import { terminalLimits } from '../../../protocol/terminal.js';

export interface PtyExit {
  readonly exitCode: number | null;
  readonly signal: number | null;
}

export interface PtySize {
  readonly rows: number;
  readonly cols: number;
}

/** One running shell behind a pseudo terminal, local or in a container. */
export interface Pty {
  /** @param listener receives bytes that are valid until it returns; copy what you keep */
  onData(listener: (bytes: Uint8Array) => void): void;
  /** Called once, after the last data. */
  onExit(listener: (exit: PtyExit) => void): void;
  write(bytes: Uint8Array): void;
  resize(size: PtySize): void;
  /** Stops reading, which blocks the program's writes. */
  pause(): void;
  resume(): void;
  /** Sends SIGHUP, then SIGKILL. `onExit` follows. */
  kill(): void;
}

/** Calls `onInput` for each input. */
export const withInput = (pty: Pty, onInput: () => void): Pty => ({
  ...pty,
  write: (bytes) => {
    onInput();
    pty.write(bytes);
  },
});

/** Opens a login shell in a workspace. */
export type OpenPty = (options: {
  readonly workspaceId: string;
  readonly terminalId: string;
  readonly size: PtySize;
  readonly worktree?: string | undefined;
}) => Promise<{ readonly pty: Pty; readonly workingDirectory: string }>;

/** Replaces a size outside the limits by the default, as the terminal interface defines. */
export function boundedSize(size: {
  readonly rows?: number | undefined;
  readonly cols?: number | undefined;
}): PtySize {
  return {
    rows: bounded(size.rows, terminalLimits.maxRows, terminalLimits.defaultRows),
    cols: bounded(size.cols, terminalLimits.maxCols, terminalLimits.defaultCols),
  };
}

function bounded(value: number | undefined, max: number, fallback: number): number {
  const isGood = value !== undefined && Number.isInteger(value) && value >= 1 && value <= max;
  return isGood ? value : fallback;
}
