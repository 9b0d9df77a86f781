import { withNormalPriority } from '../node/process-priority.js';
import type { Pty, PtyExit, PtySize } from './pty.js';
import { ptyLibrary } from './pty-binding.js';
import { InputQueue, PtyReader } from './pty-io.js';

const killGraceMs = 500;
/** How long output of programs that outlive their shell is still read. */
const lastOutputMs = 200;

export interface LocalShell {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly size: PtySize;
}

/** A shell on this machine, leader of its own session and process group. */
export function openLocalPty(shell: LocalShell): Pty {
  const { fd, pid, exited } = withNormalPriority(() => fork(shell));
  const reader = new PtyReader(fd);
  const input = new InputQueue(() => (reader.isClosed ? null : fd));
  let hasExited = false;
  exited.then(() => {
    hasExited = true;
    // The rest of a paused shell's output is small.
    reader.resume();
    setTimeout(() => reader.close(), lastOutputMs).unref();
  });
  return {
    onData: (listener) => reader.read(listener),
    onExit(listener) {
      Promise.all([exited, reader.closed]).then(([exit]) => listener(exit));
    },
    write: (bytes) => input.add(bytes),
    resize({ rows, cols }) {
      if (!reader.isClosed) ptyLibrary().binding.resize(fd, cols, rows);
    },
    pause: () => hasExited || reader.pause(),
    resume: () => reader.resume(),
    kill() {
      signalGroup(pid, 'SIGHUP');
      setTimeout(() => hasExited || signalGroup(pid, 'SIGKILL'), killGraceMs).unref();
    },
  };
}

function fork({ file, args, cwd, env, size: { rows, cols } }: LocalShell) {
  const { binding, helper } = ptyLibrary();
  const exited = Promise.withResolvers<PtyExit>();
  const variables = Object.entries({ ...env, PWD: cwd, TERM: 'xterm-256color' });
  const { fd, pid } = binding.fork(
    file,
    args,
    variables.map(([name, value]) => `${name}=${value}`),
    cwd,
    cols,
    rows,
    -1,
    -1,
    false,
    helper,
    (exitCode, signal) => exited.resolve(signal ? { exitCode: null, signal } : { exitCode, signal: null }),
  );
  return { fd, pid, exited: exited.promise };
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
