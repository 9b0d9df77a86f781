import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { spawn } from '../node/process-priority.js';
import { harnessMarker } from '../workspaces/container/signal-marked.js';
import { shellEnvironment } from '../workspaces/standalone-runner.js';
import type { Workspace } from '../workspaces/workspace.js';
import type { WorkspaceSources } from '../workspaces/workspace-sources.js';
import { killMarkedProcesses } from './end-process.js';
import {
  type HarnessLauncher,
  type HarnessProcess,
  type Launch,
  type ProcessEnd,
  StderrTail,
} from './harness-process.js';

interface LocalLauncherOptions {
  readonly baseDir: string;
  readonly stderrBytes: number;
  /** Folders of installed harnesses, first in PATH. */
  readonly binFolders: readonly string[];
}

/** Starts harnesses as processes of this machine, each in its own process group. */
export class LocalLauncher implements HarnessLauncher {
  constructor(
    private readonly options: LocalLauncherOptions,
    private readonly sources: WorkspaceSources,
  ) {}

  async launch({ workspace, sessionId, argv, workDir, environment }: Launch): Promise<HarnessProcess> {
    const [file = '', ...args] = argv;
    const run = `${this.runsOf(workspace, sessionId)}${randomUUID()}`;
    const child = spawn(file, args, {
      cwd: workDir,
      env: this.environment(workspace, { ...environment, [harnessMarker]: run }),
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    const stderr = new StderrTail(this.options.stderrBytes);
    child.stderr.on('data', (chunk: Buffer) => stderr.add(chunk));
    const exited = endOf(child);
    await started(child);
    return {
      stdin: child.stdin,
      stdout: child.stdout,
      stderr,
      exited,
      signal: async (name) => {
        signalGroup(child, `SIG${name}`);
        // A process that left the group still has the mark in its environment.
        if (name === 'KILL') await killMarkedProcesses(`${harnessMarker}=${run}`);
      },
    };
  }

  async endLeftovers(workspace: Workspace, sessionId: string): Promise<void> {
    await killMarkedProcesses(`${harnessMarker}=${this.runsOf(workspace, sessionId)}`);
  }

  /**
   * Prefix of the marks of a session. Session ids are unique within a workspace, and the folder of
   * a workspace on the machine: several nodes share a laptop.
   */
  private runsOf({ workspaceId }: Workspace, sessionId: string): string {
    return `${join(this.options.baseDir, workspaceId)}/${sessionId}/`;
  }

  private environment({ workspaceId }: Workspace, extra: Readonly<Record<string, string>>) {
    const env = shellEnvironment({
      workspaceId,
      home: join(this.options.baseDir, workspaceId, 'home'),
      gitSettings: join(this.sources.runFolder(workspaceId), 'gitconfig'),
      extra,
    });
    return { ...env, PATH: [...this.options.binFolders, env.PATH].join(':') };
  }
}

/** Waits for `exit`, not `close`: children may hold the output open for ever. */
function endOf(child: ChildProcess): Promise<ProcessEnd> {
  return new Promise((resolve) => {
    child.once('error', () => resolve({ exitCode: null, signal: null }));
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }));
  });
}

async function started(child: ChildProcess): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // No process is left.
  }
}
