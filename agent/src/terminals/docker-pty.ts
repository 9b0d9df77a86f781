import type { Duplex } from 'node:stream';
import type { Pty, PtyExit, PtySize } from './pty.js';
import { maxQueuedInputBytes } from './pty-io.js';

const killGraceMs = 500;

export interface DockerShell {
  readonly stream: Duplex;
  resize(size: PtySize): Promise<void>;
  exitCode(): Promise<number | null>;
  /** Sends a signal to the shell. Docker has no API call to signal an exec. */
  signal(name: 'HUP' | 'KILL'): Promise<void>;
  onError(error: unknown): void;
}

/** A shell that Docker runs in a container. */
export function openDockerPty(shell: DockerShell): Pty {
  const { stream } = shell;
  const exit = exitOf(shell);
  // Each resize is a request to the engine, which does not keep their order.
  const resizes = new LatestOnly((size: PtySize) => shell.resize(size), shell.onError);
  return {
    onData: (listener) => {
      stream.on('data', listener);
    },
    onExit: (listener) => {
      exit.then(listener, shell.onError);
    },
    write: (bytes) => {
      if (stream.writable && stream.writableLength + bytes.length <= maxQueuedInputBytes) stream.write(bytes);
    },
    resize: (size) => resizes.take(size),
    // The engine stops reading when its client does, and the program blocks.
    pause: () => {
      stream.pause();
    },
    resume: () => {
      stream.resume();
    },
    kill: () => {
      hangUp(shell, exit).catch(shell.onError);
    },
  };
}

async function exitOf({ stream, exitCode, onError }: DockerShell): Promise<PtyExit> {
  await new Promise<void>((resolve) => {
    stream.once('end', resolve);
    stream.once('close', resolve);
    stream.once('error', (error) => {
      onError(error);
      resolve();
    });
  });
  return { exitCode: await exitCode().catch(() => null), signal: null };
}

async function hangUp({ signal, stream }: DockerShell, exit: Promise<PtyExit>): Promise<void> {
  try {
    await signal('HUP');
  } catch (error) {
    // A shell that cannot be signalled, as in a paused container, would never exit.
    stream.destroy();
    throw error;
  }
  const timer = setTimeout(() => {
    signal('KILL')
      .catch(() => undefined)
      .finally(() => stream.destroy());
  }, killGraceMs);
  await exit;
  clearTimeout(timer);
}

/**
 * Runs slow work for the newest value only: one run at a time. Values that arrive during a run
 * replace each other, and the last one always runs.
 */
export class LatestOnly<Value> {
  private waiting: { readonly value: Value } | null = null;
  private isBusy = false;

  constructor(
    private readonly work: (value: Value) => Promise<void>,
    private readonly onError: (error: unknown) => void,
  ) {}

  take(value: Value): void {
    this.waiting = { value };
    if (!this.isBusy) void this.run();
  }

  private async run(): Promise<void> {
    this.isBusy = true;
    while (this.waiting) {
      const { value } = this.waiting;
      this.waiting = null;
      await this.work(value).catch(this.onError);
    }
    this.isBusy = false;
  }
}
