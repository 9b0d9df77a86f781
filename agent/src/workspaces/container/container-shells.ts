import { randomBytes } from 'node:crypto';
import { retry } from '../../shared/retry.js';
import { openDockerPty } from '../../terminals/docker-pty.js';
import type { Pty, PtySize } from '../../terminals/pty.js';
import type { DockerEngine } from './docker-engine.js';
import { environmentScript } from './environment-line.js';
import { startInContainer } from './start-in-container.js';

/** Environment variable of every shell that a terminal opened, and of no other process. */
const terminalMarker = 'SVC_TERMINAL';
/**
 * Sets the variables from the file of its first argument, if any, and removes it. Without a locale,
 * line editors treat characters outside of ASCII as single bytes.
 */
const loginShell = `
if [ -n "$1" ]; then . "$1"; rm -f "$1"; fi
[ -n "\${LC_ALL:-}\${LC_CTYPE:-}\${LANG:-}" ] || export LANG=C.UTF-8
if command -v bash >/dev/null 2>&1; then exec bash -l; else exec sh -l; fi`;

/** The shell that writes the variables prints nothing but errors. */
const variablesOutputBytes = 65_536;

/** Most time until a shell runs; one that ended before it never takes a size. */
const startMs = 5_000;
const untilStarted = { attempts: 30, firstDelayMs: 20, maxDelayMs: 500, isTransient: () => true };

/** Opens and ends login shells in containers. */
export class ContainerShells {
  constructor(
    private readonly engine: DockerEngine,
    private readonly onError: (error: unknown) => void,
  ) {}

  async open(options: {
    readonly container: string;
    readonly terminalId: string;
    readonly workDir: string;
    readonly size: PtySize;
    readonly variables: Readonly<Record<string, string>>;
  }): Promise<Pty> {
    const { container, terminalId, workDir, size, variables } = options;
    const file = await this.placeVariables(container, variables);
    const exec = await this.engine.docker.getContainer(container).exec({
      Cmd: ['/bin/sh', '-c', loginShell, 'sh', file],
      Env: ['TERM=xterm-256color', 'COLORTERM=truecolor', `${terminalMarker}=${terminalId}`],
      WorkingDir: workDir,
      AttachStdin: true,
      AttachStdout: true,
      AttachStderr: true,
      Tty: true,
    });
    const stream = await exec.start({ hijack: true, stdin: true, Tty: true });
    const resize = async ({ rows, cols }: PtySize) => {
      await exec.resize({ h: rows, w: cols });
    };
    // The engine gives the stream before it has started the shell, and refuses a size until then.
    const signal = AbortSignal.timeout(startMs);
    await retry(() => resize(size), { ...untilStarted, signal }).catch(this.onError);
    return openDockerPty({
      stream,
      resize,
      exitCode: async () => (await exec.inspect()).ExitCode,
      signal: async (name) => {
        await this.signal(container, name, ['-xF', `${terminalMarker}=${terminalId}`]);
      },
      onError: this.onError,
    });
  }

  /**
   * Writes the variables to a file in the memory of the container, for its user only: clients of
   * the engine can read the variables of a command. Returns an empty path without variables.
   */
  private async placeVariables(name: string, variables: Readonly<Record<string, string>>): Promise<string> {
    if (Object.keys(variables).length === 0) return '';
    const file = `/dev/shm/svc-env-${randomBytes(8).toString('hex')}`;
    const argv = ['/bin/sh', '-c', 'umask 077; cat >"$1"', 'sh', file];
    const container = this.engine.docker.getContainer(name);
    const { stdin, stdout, ended } = await startInContainer(container, {
      ...{ argv, hasInput: true },
      outputBytes: variablesOutputBytes,
    });
    stdout.resume();
    stdin.end(environmentScript(variables));
    const { exitCode, stderr } = await ended;
    if (exitCode === 0) return file;
    this.onError(new Error(`The variables of a shell could not be written: ${stderr.trim()}`));
    return '';
  }

  /** Ends shells whose terminals were lost when the agent restarted. */
  async endAll(container: string): Promise<void> {
    await this.signal(container, 'HUP', [`^${terminalMarker}=`]);
  }

  /** @param marker `grep` arguments that match an environment entry of the shell */
  private async signal(container: string, name: 'HUP' | 'KILL', marker: readonly string[]): Promise<void> {
    await this.engine.runAsAll(container, ['/bin/sh', '-c', signalShells, 'sh', name, ...marker]);
  }
}

/**
 * Signals the shells of one terminal, or of all: processes with the marker whose parent is outside
 * the container, as Docker starts them. Their children get the signal from them; detached programs
 * continue.
 */
const signalShells = `
signal=$1
shift
for p in /proc/[0-9]*; do
  tr '\\0' '\\n' <"$p/environ" 2>/dev/null | grep -q "$@" || continue
  grep -q '^PPid:[[:space:]]*0$' "$p/status" 2>/dev/null || continue
  kill -"$signal" "\${p#/proc/}" 2>/dev/null
done
exit 0`;
