import type { Duplex } from 'node:stream';
import { mostWaitingBytes } from './input-queue.js';
import { LatestOnly } from './latest-only.js';
import type { Pty, PtyExit, PtySize } from './pty.js';

const killGraceMs = 500;

export interface DockerShell {
  readonly stream: Duplex;
  resize(size: PtySize): Promise<void>;
  exitCode(): Promise<number | null>;
  /** Sends a signal to the shell; Docker itself has no such call for an exec. */
  signal(name: 'HUP' | 'KILL'): Promise<void>;
  onError(error: unknown): void;
}

/** A shell that Docker runs in a container. */
export function openDockerPty(shell: DockerShell): Pty {
  const { stream } = shell;
  const exit = exitOf(shell);
  // Each is a request to the engine, which keeps no order among them.
  const resizes = new LatestOnly((size: PtySize) => shell.resize(size), shell.onError);
  return {
    onData: (listener) => {
      stream.on('data', listener);
    },
    onExit: (listener) => {
      exit.then(listener, shell.onError);
    },
    write: (bytes) => {
      if (stream.writable && stream.writableLength + bytes.length <= mostWaitingBytes) stream.write(bytes);
    },
    resize: (size) => resizes.take(size),
    // Not reading stops the engine, and with it the program.
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
    // A shell that cannot be reached, as in a paused container, would be waited for for ever.
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
