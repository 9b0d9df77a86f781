import { constants } from 'node:os';
import { join } from 'node:path';
import { endGroup } from '../node/end-group.js';
import { spawn } from '../node/process-priority.js';
import {
  type Command,
  commandEnvironment,
  keptStderrBytes,
  type RunningCommand,
  type WorkspacePlace,
  type WorkspaceRunner,
} from './runtime.js';
import { shellEnvironment } from './shell-environment.js';
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
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk).slice(-keptStderrBytes);
  });
  // A program may exit before it has read its input; its exit code reports that.
  child.stdin.on('error', () => undefined);
  if (!command.hasInput) child.stdin.end();
  child.stdout.once('close', () => {
    if (!child.stdout.readableEnded) endGroup(child.pid);
  });
  const ended = new Promise<{ exitCode: number | null; stderr: string }>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ exitCode: code ?? codeOf(signal), stderr }));
  });
  ended.catch(() => undefined);
  return { stdin: child.stdin, stdout: child.stdout, ended };
}

/** Exit code of a signal as in shells (128 + number); null would pass for success. */
function codeOf(signal: NodeJS.Signals | null): number | null {
  return signal && 128 + constants.signals[signal];
}
