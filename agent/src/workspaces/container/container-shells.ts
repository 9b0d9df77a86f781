import { openDockerPty } from '../../terminals/docker-pty.js';
import type { Pty, PtySize } from '../../terminals/pty.js';
import type { DockerEngine } from './docker-engine.js';

/** Environment variable of every shell that a terminal opened, and of no other process. */
const terminalMarker = 'SVC_TERMINAL';
const loginShell = 'if command -v bash >/dev/null 2>&1; then exec bash -l; else exec sh -l; fi';

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
  }): Promise<Pty> {
    const { container, terminalId, workDir, size } = options;
    const exec = await this.engine.docker.getContainer(container).exec({
      Cmd: ['/bin/sh', '-c', loginShell],
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
    // The engine accepts a size only after the shell has started.
    await resize(size).catch(this.onError);
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
