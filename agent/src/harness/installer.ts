import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { WorkspaceCommands } from '../files/workspace-commands.js';
import { KeyLock } from '../shared/key-lock.js';
import { redactText } from '../shared/redact.js';
import type { Workspace } from '../workspaces/workspace.js';
import { HarnessError } from './harness.js';
import type { HarnessKind, Installation } from './harness-kind.js';
import { storeFolder, storeProbe } from './harness-store.js';

interface InstallerOptions {
  readonly timeoutMs: number;
  /** Install prefix inside the workspace. */
  readonly prefix: string;
  /** True when all workspaces share one install prefix. */
  readonly isShared: boolean;
  /** Node of this machine for workspaces with no or an old Node; null to provide none. */
  readonly node: string | null;
  /** The harness store as workspaces see it; null when the node has none. */
  readonly store: string | null;
}

/** Package managers print their progress. */
const installOutputBytes = 64 * 1_024 * 1_024;

/** Installs missing harnesses. One installation a prefix at a time. */
export class Installer {
  private readonly lock = new KeyLock();

  constructor(
    private readonly commands: WorkspaceCommands,
    private readonly options: InstallerOptions,
  ) {}

  /**
   * Returns the program to start: of the node's store when it runs in the image, else of the
   * installation in the workspace. @throws HarnessError when it cannot be had
   */
  async ensure(installing: Installing): Promise<string> {
    const { workspace, kind } = installing;
    const stored = await this.findStored(workspace, kind);
    if (stored !== null) return stored;
    if (!(await this.isThere(workspace, kind))) await this.installOnce(installing);
    return kind.command[0];
  }

  private async findStored(workspace: Workspace, kind: HarnessKind): Promise<string | null> {
    const { store } = this.options;
    const folder = store === null ? null : storeFolder(store, kind);
    if (folder === null) return null;
    const argv = ['/bin/sh', '-c', storeProbe, 'sh', folder];
    const { exitCode } = await this.commands.collect(workspace, { argv, timeoutMs: 30_000 }, 1_024);
    return exitCode === 0 ? `${folder}/run` : null;
  }

  private async installOnce({ workspace, kind, onInstall, signal }: Installing): Promise<void> {
    const place = this.options.isShared ? '' : workspace.workspaceId;
    await this.lock.run(place, async () => {
      signal.throwIfAborted();
      if (await this.isThere(workspace, kind)) return;
      onInstall();
      await this.install(workspace, kind, signal);
      if (await this.isThere(workspace, kind)) return;
      throw new HarnessError('not_startable', `${kind.name} is not there after it was installed`);
    });
  }

  private async isThere(workspace: Workspace, kind: HarnessKind): Promise<boolean> {
    const argv = [
      '/bin/sh',
      '-c',
      `PATH="${this.options.prefix}/bin:$PATH"${probeScript}`,
      'sh',
      kind.command[0],
    ];
    const { exitCode } = await this.commands.collect(workspace, { argv, timeoutMs: 30_000 }, 1_024);
    return exitCode === 0;
  }

  private async install(workspace: Workspace, kind: HarnessKind, signal: AbortSignal): Promise<void> {
    for (const one of kind.installs) {
      if (one.by === 'npm') await this.ensureNode(workspace, { kind, least: one.node }, signal);
      await this.run(workspace, { kind, argv: argvOf(one, this.options.prefix) }, signal);
    }
  }

  /** Ignores failures: the installation of the packages reports what is missing. */
  private async ensureNode(
    workspace: Workspace,
    { kind, least }: { readonly kind: HarnessKind; readonly least: number },
    signal: AbortSignal,
  ): Promise<void> {
    const { node, prefix } = this.options;
    const argv = ['/bin/sh', '-c', nodeScript, 'sh', String(least)];
    const { exitCode } = await this.finish(workspace, { kind, argv }, signal);
    if (exitCode !== noFittingNode || node === null) return;
    const take = ['/bin/sh', '-c', takeNodeScript, 'sh', `${prefix}/bin/node`];
    await this.finish(workspace, { kind, argv: take, input: node }, signal);
  }

  private async run(workspace: Workspace, step: Step, signal: AbortSignal): Promise<void> {
    const { exitCode, stderr } = await this.finish(workspace, step, signal);
    if (exitCode !== 0) throw notInstallable(step.kind, stderr);
  }

  private async finish(workspace: Workspace, { kind, argv, input }: Step, signal: AbortSignal) {
    const { timeoutMs } = this.options;
    const running = await this.commands.open(workspace, {
      argv,
      timeoutMs,
      asRoot: true,
      hasInput: input !== undefined,
      outputBytes: installOutputBytes,
    });
    const abort = () => running.stdout.destroy();
    signal.addEventListener('abort', abort, { once: true });
    try {
      running.stdout.resume();
      // The program may end before it has read its input. Its exit code decides.
      if (input !== undefined) await pipeline(createReadStream(input), running.stdin).catch(() => undefined);
      const end = await running.ended;
      signal.throwIfAborted();
      return end;
    } catch (cause) {
      signal.throwIfAborted();
      throw cause instanceof HarnessError ? cause : notInstallable(kind, '', cause);
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }
}

interface Step {
  readonly kind: HarnessKind;
  readonly argv: readonly string[];
  /** File of this machine for its standard input. */
  readonly input?: string;
}

interface Installing {
  readonly workspace: Workspace;
  readonly kind: HarnessKind;
  readonly onInstall: () => void;
  readonly signal: AbortSignal;
}

function argvOf(install: Installation, prefix: string): string[] {
  if (install.by === 'npm')
    return ['/bin/sh', '-c', npmScript, 'sh', String(install.node), prefix, ...install.packages];
  return [
    '/bin/sh',
    '-c',
    uvScript,
    'sh',
    install.tool,
    install.python,
    `${prefix}/bin`,
    `${prefix}/uv-tools`,
  ];
}

function notInstallable(kind: HarnessKind, stderr: string, cause?: unknown): HarnessError {
  const lines = redactText(stderr).trim().split('\n');
  // The last lines of npm name a log file that is not reachable.
  const last = lines.findLast((line) => !/complete log|\.log$/i.test(line))?.slice(0, 300) ?? '';
  return new HarnessError('not_startable', `${kind.name} could not be installed${last ? `: ${last}` : ''}`, {
    stderr: lines.join('\n'),
    cause,
  });
}

/** Exits with 0 when the program `$1` exists. */
const probeScript = `
PATH="\${HOME:-/root}/.local/bin:$PATH"
command -v "$1" >/dev/null 2>&1`;

/** Exit code of a script without a suitable Node. */
const noFittingNode = 90;

/** `$least`: minimum version of Node. */
const fits = `fits() { command -v npm >/dev/null 2>&1 && [ "$(node -p 'process.versions.node.split(".")[0]' 2>/dev/null || echo 0)" -ge "$least" ]; }`;

/**
 * `$1`: minimum version of Node. Without one, installs the signed package of the distribution, as
 * root; its version may be too old.
 */
const nodeScript = `
least=$1
${fits}
if ! fits && ! command -v npm >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
  if command -v apt-get >/dev/null 2>&1; then
    { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends nodejs npm; } >&2
  elif command -v apk >/dev/null 2>&1; then apk add --no-cache nodejs npm >&2
  fi
  hash -r
fi
fits || exit ${noFittingNode}`;

/** `$1`: target of the program on standard input. Installed only when it runs in this image. */
const takeNodeScript = `
umask 022
mkdir -p "\${1%/*}" && cat >"$1.new" && chmod 755 "$1.new" || exit 1
if "$1.new" --version >&2; then mv -f "$1.new" "$1"; else rm -f "$1.new"; exit ${noFittingNode}; fi`;

/** `$1`: minimum version of Node; `$2`: prefix; the rest: packages with exact versions. */
const npmScript = `
least=$1; prefix=$2; shift 2
${fits}
fits || { echo "It needs npm and Node $least or newer in the image" >&2; exit ${noFittingNode}; }
exec npm install --global --no-audit --no-fund --loglevel=error --prefix "$prefix" "$@" >&2`;

const uv = 'uv==0.13.8';

/** `$1`: tool with version; `$2`: Python version; `$3`: program folder; `$4`: tool folder. */
const uvScript = `
command -v uv >/dev/null 2>&1 || python3 -m pip install --quiet --break-system-packages ${uv} >&2 || python3 -m pip install --quiet ${uv} >&2
command -v uv >/dev/null 2>&1 || { echo 'It needs uv, or Python with pip, in the image' >&2; exit 90; }
UV_TOOL_BIN_DIR=$3 UV_TOOL_DIR=$4 UV_PYTHON_INSTALL_DIR=$4/python exec uv tool install --python "$2" "$1" >&2`;
