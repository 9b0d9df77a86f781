export interface PtyExit {
  readonly exitCode: number | null;
  readonly signal: number | null;
}

export interface PtySize {
  readonly rows: number;
  readonly cols: number;
}

/** One running shell behind a pseudo terminal, wherever it runs. */
export interface Pty {
  /** @param listener is given bytes that are good until it returns: what it keeps of them it copies */
  onData(listener: (bytes: Uint8Array) => void): void;
  /** Called once, after the last data. */
  onExit(listener: (exit: PtyExit) => void): void;
  write(bytes: Uint8Array): void;
  resize(size: PtySize): void;
  /** Stops reading, so that the program itself stops writing. */
  pause(): void;
  resume(): void;
  /** Hangs up, and kills what does not listen. `onExit` follows. */
  kill(): void;
}

/** Opens a login shell in a workspace. */
export type OpenPty = (options: {
  readonly workspaceId: string;
  readonly terminalId: string;
  readonly size: PtySize;
  readonly worktree?: string | undefined;
}) => Promise<{ readonly pty: Pty; readonly workingDirectory: string }>;
