import { existsSync } from 'node:fs';
import { constants, userInfo } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { pipeline } from 'node:stream';
import { ghPath } from '../git/gh-wrapper.js';
import { endGroup } from '../node/end-group.js';
import { spawn } from '../node/process-priority.js';
import { BoundedStream, ByteBudget } from '../streams/byte-budget.js';
import { workspaceMarker } from './marked-processes.js';
import {
  type Command,
  commandEnvironment,
  keptStderrBytes,
  type RunningCommand,
  type WorkspacePlace,
  type WorkspaceRunner,
} from './runtime.js';
import { repositoryFolder, type Workspace } from './workspace.js';
import type { WorkspaceSources } from './workspace-sources.js';

/** Runs programs on this machine with the environment of the workspace's shells. */
export class StandaloneRunner implements WorkspaceRunner {
  constructor(
    private readonly baseDir: string,
    private readonly sources: WorkspaceSources,
  ) {}

  place({ workspaceId, settings }: Workspace): WorkspacePlace {
    const root = join(this.baseDir, workspaceId, 'work');
    return { root, workDir: join(root, repositoryFolder(settings)) };
  }

  async run({ workspaceId }: Workspace, command: Command) {
    const env = shellEnvironment({
      workspaceId,
      home: join(this.baseDir, workspaceId, 'home'),
      gitSettings: join(this.sources.runFolder(workspaceId), 'gitconfig'),
      extra: {},
    });
    return startLocally(command, env);
  }
}

/** Runs a program on this machine with the environment of a workspace. */
export function startLocally(command: Command, env: Readonly<Record<string, string>>): RunningCommand {
  const [file = '', ...args] = command.argv;
  // Own process group: all children end with the program.
  const child = spawn(file, args, {
    detached: true,
    cwd: '/',
    env: { ...env, ...commandEnvironment },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const budget = new ByteBudget(command.outputBytes);
  const stdout = new BoundedStream(budget);
  pipeline(child.stdout, stdout, () => undefined);
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk).slice(-keptStderrBytes);
    budget.count(chunk.length);
    if (budget.failure) stdout.destroy(budget.failure);
  });
  // A program may exit before it has read its input; its exit code reports that.
  child.stdin.on('error', () => undefined);
  if (!command.hasInput) child.stdin.end();
  child.stdout.once('close', () => {
    if (!child.stdout.readableEnded) endGroup(child.pid);
  });
  const ended = new Promise<{ exitCode: number | null; stderr: string }>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (budget.failure) reject(budget.failure);
      else resolve({ exitCode: code ?? codeOf(signal), stderr });
    });
  });
  ended.catch(() => undefined);
  return { stdin: child.stdin, stdout, ended };
}

/** Exit code of a signal as in shells (128 + number); null would pass for success. */
function codeOf(signal: NodeJS.Signals | null): number | null {
  return signal && 128 + constants.signals[signal];
}

const fallbackPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The login shell: bash if installed, otherwise sh. */
export function findShell(): string {
  return ['/bin/bash', '/usr/bin/bash'].find((path) => existsSync(path)) ?? '/bin/sh';
}

/**
 * The whole environment of a shell in a standalone workspace. Nothing is inherited from the agent,
 * in particular no tokens.
 */
export function shellEnvironment(options: {
  readonly workspaceId: string;
  readonly home: string;
  readonly gitSettings: string;
  readonly extra: Readonly<Record<string, string>>;
}): Record<string, string> {
  const { username } = userInfo();
  return {
    PATH: `${join(dirname(options.gitSettings), dirname(ghPath))}:${shellPath(process.env.PATH)}`,
    HOME: options.home,
    USER: username,
    LOGNAME: username,
    SHELL: findShell(),
    TERM: 'xterm-256color',
    COLORTERM: 'truecolor',
    LANG: process.env.LANG ?? 'C.UTF-8',
    GIT_CONFIG_SYSTEM: options.gitSettings,
    SVC_WORKSPACE_ID: options.workspaceId,
    [workspaceMarker]: dirname(options.home),
    ...options.extra,
  };
}

/** The agent's search path without folders of its own npm package. */
export function shellPath(path: string | undefined): string {
  const kept = (path ?? '').split(delimiter).filter((folder) => folder && !folder.includes('node_modules'));
  return kept.length > 0 ? kept.join(delimiter) : fallbackPath;
}
