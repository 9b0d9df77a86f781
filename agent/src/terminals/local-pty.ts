import type { Socket } from 'node:net';
import { spawn } from '@lydell/node-pty';
import { withoutPrecedence } from '../node/precedence.js';
import { InputQueue } from './input-queue.js';
import type { Pty, PtyExit, PtySize } from './pty.js';

const killGraceMs = 500;
const endPollMs = 40;

export interface LocalShell {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly size: PtySize;
}

/** A shell on this machine, leader of a session and process group of its own. */
export function openLocalPty(shell: LocalShell): Pty {
  const pty = withoutPrecedence(() =>
    spawn(shell.file, [...shell.args], {
      name: 'xterm-256color',
      cwd: shell.cwd,
      env: { ...shell.env },
      rows: shell.size.rows,
      cols: shell.size.cols,
      // Bytes as they come: a character cut in two must not be mended here.
      encoding: null,
    }),
  );
  // The library names neither in its types.
  const { fd, _socket: master } = pty as unknown as { readonly fd: number; readonly _socket: Socket };
  const input = new InputQueue(() => (master.destroyed ? null : fd));
  let hasExited = false;
  // A shell may end while it is paused. The library drops what is unread 200 ms later, so reading goes on before.
  let watch: NodeJS.Timeout | undefined;
  pty.onExit(() => {
    clearInterval(watch);
    hasExited = true;
  });
  return {
    onData(listener) {
      // Typed as text, but without an encoding the library gives buffers.
      pty.onData((data: unknown) => listener(Buffer.isBuffer(data) ? data : Buffer.from(String(data))));
    },
    onExit: (listener) => {
      pty.onExit(({ exitCode, signal }) => listener(toExit(exitCode, signal)));
    },
    write: (bytes) => input.add(bytes),
    resize: ({ rows, cols }) => pty.resize(cols, rows),
    pause() {
      pty.pause();
      watch ??= setInterval(() => isAlive(pty.pid) || pty.resume(), endPollMs);
    },
    resume() {
      clearInterval(watch);
      watch = undefined;
      pty.resume();
    },
    kill() {
      signalGroup(pty.pid, 'SIGHUP');
      setTimeout(() => hasExited || signalGroup(pty.pid, 'SIGKILL'), killGraceMs).unref();
    },
  };
}

function toExit(exitCode: number, signal: number | undefined): PtyExit {
  return signal ? { exitCode: null, signal } : { exitCode, signal: null };
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
