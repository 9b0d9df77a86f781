import { randomUUID } from 'node:crypto';
import { PassThrough, pipeline } from 'node:stream';
import type Docker from 'dockerode';
import { isClearedForAgents } from '../../../protocol/reserved-variables.js';
import { type OomKills, oomKillText } from '../pressure/oom-kills.js';
import { ByteBudget, endless } from '../streams/byte-budget.js';
import { harnessOomScoreAdjust } from '../workspaces/container/container-settings.js';
import type { DockerEngine } from '../workspaces/container/docker-engine.js';
import { dockerName } from '../workspaces/container/docker-names.js';
import { environmentLine, environmentWrapper } from '../workspaces/container/environment-line.js';
import { harnessMarker, signalMarkedProcesses } from '../workspaces/container/signal-marked.js';
import { ExecOutput } from '../workspaces/container/start-in-container.js';
import { commandEnvironment } from '../workspaces/runtime.js';
import type { Workspace } from '../workspaces/workspace.js';
import { type HarnessLauncher, type HarnessProcess, type Launch, StderrTail } from './harness-process.js';

/**
 * Of processes of about the same size, the kernel kills coding agents and what they run before the
 * shell that keeps the container alive, and before terminals. Raising the own value needs no
 * permission.
 */
const firstWhenMemoryIsShort = `echo ${harnessOomScoreAdjust} 2>/dev/null >/proc/self/oom_score_adj || :`;

/** A kill this long before the end of a harness is its cause. */
const recentMs = 5_000;

/** Starts harnesses in the container of the workspace, as its user. */
export class ContainerLauncher implements HarnessLauncher {
  constructor(
    private readonly engine: DockerEngine,
    private readonly options: { readonly stderrBytes: number; readonly kills: OomKills | null },
  ) {}

  async launch({ workspace, sessionId, argv, workDir, environment }: Launch): Promise<HarnessProcess> {
    const run = `${sessionId}/${randomUUID()}`;
    const container = this.engine.docker.getContainer(dockerName(workspace.workspaceId));
    const { Id: containerId, Config } = await container.inspect();
    const cleared = clearedVariables(Config.Env ?? []);
    const line = environmentLine(environment, cleared);
    const { kills } = this.options;
    kills?.read(containerId);
    const exec = await container.exec({
      Cmd: ['/bin/sh', '-c', `${firstWhenMemoryIsShort}${environmentWrapper}`, 'sh', ...argv],
      // Every client of the Docker engine can read these.
      Env: [
        ...cleared.map((name) => `${name}=`),
        ...[`${harnessMarker}=${run}`, `LC_ALL=${commandEnvironment.LC_ALL}`],
      ],
      WorkingDir: workDir,
      AttachStdin: true,
      AttachStdout: true,
      AttachStderr: true,
      Tty: false,
    });
    const stream = await exec.start({ hijack: true, stdin: true, Tty: false });
    stream.write(line);
    const stderr = new StderrTail(this.options.stderrBytes);
    const output = new ExecOutput(new ByteBudget(endless), (chunk) => stderr.add(chunk));
    const stdout = output.pipe(new PassThrough());
    // A reader that stops, as at a message without end, must not hold up the end of the process.
    stdout.once('close', () => output.resume());
    pipeline(stream, output, () => stdout.end());
    stream.on('error', () => undefined);
    return {
      stdin: stream,
      stdout,
      stderr,
      exited: endOf(exec, output),
      outOfMemory: () => {
        const kill = kills?.since(containerId, Date.now() - recentMs) ?? null;
        return kill && oomKillText(kill);
      },
      signal: async (name) => {
        await this.signal(workspace, name, `${run}$`);
        // A child that holds the output open would delay the end for ever.
        if (name === 'KILL') stream.destroy();
      },
    };
  }

  async endLeftovers(workspace: Workspace, sessionId: string): Promise<void> {
    await this.signal(workspace, 'KILL', `${sessionId}/`);
  }

  /** @param runs prefix of the marks to kill; dots are escaped */
  private async signal({ workspaceId }: Workspace, name: 'KILL' | 'TERM', runs: string): Promise<void> {
    const pattern = `^${harnessMarker}=${runs.replaceAll('.', '[.]')}`;
    try {
      await this.engine.runAsAll(dockerName(workspaceId), signalMarkedProcesses(name, pattern));
    } catch (error) {
      if (!isNotRunning(error)) throw error;
    }
  }
}

/**
 * Variables of the image or dev container that could redirect a credential. They are empty for the
 * wrapper's shell and unset for the agent.
 */
function clearedVariables(env: readonly string[]): readonly string[] {
  return env.flatMap((line) => line.split('=', 1)).filter(isClearedForAgents);
}

/** A stopped or deleted container has no processes. */
function isNotRunning(error: unknown): boolean {
  return error instanceof Error && 'statusCode' in error && [404, 409].includes(Number(error.statusCode));
}

async function endOf(exec: Docker.Exec, output: ExecOutput) {
  await new Promise<void>((resolve) => {
    output.once('close', resolve);
  });
  // Without the engine the exit code is unknown.
  const state = await exec.inspect().catch(() => null);
  const exitCode = state?.ExitCode ?? null;
  // Shells and engines report signal N as exit code 128 + N.
  return exitCode !== null && exitCode > 128
    ? { exitCode, signal: signalNames[exitCode - 128] ?? null }
    : { exitCode, signal: null };
}

const signalNames: Readonly<Record<number, string>> = {
  6: 'SIGABRT',
  9: 'SIGKILL',
  11: 'SIGSEGV',
  15: 'SIGTERM',
};
