import { createRequire } from 'node:module';
import { join } from 'node:path';
import { getAsset, isSea } from 'node:sea';
import { PackedPackages, packagesAsset, unpackPackages } from '../node/native-packages.js';

const library = '@lydell/node-pty';

/** What the library does in machine code; it is typed nowhere else. */
export interface PtyBinding {
  /**
   * Begins a program as leader of a session with a pseudo terminal of its own, whose master does
   * not block.
   * @param uid and `gid`: -1 for the agent's own
   * @param helper from `PtyLibrary`
   * @param onExit called once, later; signal is 0 when there was none
   */
  fork(
    file: string,
    args: readonly string[],
    env: readonly string[],
    cwd: string,
    cols: number,
    rows: number,
    uid: number,
    gid: number,
    isUtf8: boolean,
    helper: string,
    onExit: (exitCode: number, signal: number) => void,
  ): { readonly fd: number; readonly pid: number };
  resize(fd: number, cols: number, rows: number): void;
}

export interface PtyLibrary {
  readonly binding: PtyBinding;
  /** The program by which Apple's systems begin others; nothing elsewhere. */
  readonly helper: string;
}

let loaded: PtyLibrary | undefined;

/** Loaded for the first terminal: where terminals are in containers it is never needed. */
export function ptyLibrary(): PtyLibrary {
  loaded ??= load();
  return loaded;
}

function load(): PtyLibrary {
  const here = createRequire(isSea() ? join(unpackedFolder(), 'packages.cjs') : import.meta.url);
  // The library's own dependencies, which others need not see.
  const require = createRequire(here.resolve(library));
  const isApple = process.platform === 'darwin';
  return {
    binding: require('./requireBinary.js').requireBinary('pty.node'),
    helper: isApple ? require.resolve(`${library}-darwin-${process.arch}/spawn-helper`) : '',
  };
}

/** The single executable has no node_modules beside it. */
function unpackedFolder(): string {
  const packages = PackedPackages.parse(JSON.parse(getAsset(packagesAsset, 'utf8')));
  const stateDir = process.env.VM_AGENT_STATE_DIR?.trim() || '/var/lib/vm-agent';
  return unpackPackages(packages, join(stateDir, 'native'));
}
