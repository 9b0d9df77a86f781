import { once } from 'node:events';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { spawn } from '../node/process-priority.js';
import { type SandboxView, systemArguments, viewArguments } from './layout.js';

export interface SandboxOptions {
  /** Folder for files that every sandbox sees. */
  readonly folder: string;
  /** User and group in the sandbox when the agent is root. */
  readonly userId: number;
  /** Whether untrusted work is refused without a sandbox. */
  readonly isRequired: boolean;
}

/**
 * Runs programs on untrusted repositories: read-only system, own process namespace, and only the
 * given files. A root agent uses another user without capabilities; otherwise the agent's user in a
 * user namespace. The network is the machine's.
 */
export class Sandbox {
  private checked: Promise<string | null> | null = null;

  constructor(private readonly options: SandboxOptions) {}

  /** Null, or why this machine has no sandbox. */
  unavailable(): Promise<string | null> {
    this.checked ??= this.check();
    return this.checked;
  }

  get isRequired(): boolean {
    return this.options.isRequired;
  }

  /** The command line that runs a command in the sandbox. It ends with the agent. */
  wrap(command: readonly string[], view: SandboxView): readonly [file: string, ...args: string[]] {
    const { folder, userId } = this.options;
    const [isolation, entry] = isRoot() ? asOtherUser(userId) : asOwnUser;
    const places = [...systemArguments(folder), ...viewArguments(view)];
    return [
      'bwrap',
      ...isolation,
      ...places,
      '--',
      ...entry,
      'sh',
      '-c',
      start,
      'sh',
      view.workDir,
      ...command,
    ];
  }

  /**
   * The command line for a program of the agent itself, with the agent's user but without
   * capabilities and without a network.
   */
  wrapOwn(command: readonly string[], view: SandboxView): readonly [file: string, ...args: string[]] {
    const places = [...systemArguments(this.options.folder), ...viewArguments(view)];
    const isolation = [...namespaces, '--unshare-net', '--cap-drop', 'ALL', '--chdir', view.workDir];
    return ['bwrap', ...(isRoot() ? [] : ['--unshare-user']), ...isolation, ...places, '--', ...command];
  }

  /** Gives a folder and its contents to the user of the sandbox; follows no links. */
  async own(folder: string): Promise<void> {
    if (!isRoot()) return;
    const { userId } = this.options;
    const child = spawn('chown', ['-hRP', `${userId}:${userId}`, '--', folder], { stdio: 'ignore' });
    const [code] = await once(child, 'close');
    if (code !== 0)
      throw new Error(`Folder owner was not changed to the sandbox user (chown exited with ${code})`);
  }

  private async check(): Promise<string | null> {
    if (process.platform !== 'linux') return 'a sandbox needs Linux';
    await this.writeAccounts();
    const [file, ...args] = this.wrap(['true'], { workDir: '/tmp' });
    const child = spawn(file, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => {
      stderr = (stderr + chunk).slice(-500);
    });
    try {
      const [code] = await once(child, 'close');
      return code === 0
        ? null
        : `bubblewrap does not work on this machine: ${stderr.trim() || `it exited with ${code}`}`;
    } catch {
      return 'bubblewrap is not installed';
    }
  }

  private async writeAccounts(): Promise<void> {
    const { folder, userId } = this.options;
    const id = isRoot() ? userId : (process.getuid?.() ?? userId);
    const group = isRoot() ? userId : (process.getgid?.() ?? userId);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const users = `root:x:0:0::/:/bin/sh\nbuild:x:${id}:${group}::/tmp:/bin/sh\n`;
    const groups = `root:x:0:\nbuild:x:${group}:\n`;
    for (const [name, text] of Object.entries({ passwd: users, group: groups })) {
      await writeFile(join(folder, name), text);
      // Independent of the agent's umask.
      await chmod(join(folder, name), 0o644);
    }
  }
}

/**
 * The sandbox's user needs access to what is cloned and built; the folders themselves are private.
 */
const start = 'umask 022 && cd "$1" && shift && exec "$@"';

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

const namespaces = [
  '--die-with-parent',
  '--unshare-pid',
  '--unshare-ipc',
  '--unshare-uts',
  '--unshare-cgroup-try',
];
const asOwnUser = [['--unshare-user', ...namespaces], []] as const;

/**
 * Root makes the mounts, because only root sees the agent's folders; then all rights are dropped.
 */
function asOtherUser(userId: number): readonly [readonly string[], readonly string[]] {
  const needed = ['CAP_SETUID', 'CAP_SETGID', 'CAP_SETPCAP'].flatMap((name) => ['--cap-add', name]);
  const giveUp = ['--clear-groups', '--bounding-set=-all', '--inh-caps=-all', '--no-new-privs'];
  return [
    [...namespaces, '--cap-drop', 'ALL', ...needed],
    ['setpriv', `--reuid=${userId}`, `--regid=${userId}`, ...giveUp, '--'],
  ];
}
