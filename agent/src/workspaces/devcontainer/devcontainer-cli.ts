import { access, constants, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isSea } from 'node:sea';
import * as z from 'zod/mini';
import { endGroup } from '../../node/end-group.js';
import { spawn } from '../../node/process-priority.js';
import type { ResourceDiagnostics } from '../../node/resource-diagnostics.js';
import type { BuildKit } from '../../sandbox/buildkit/buildkit-build.js';
import type { BuildPlace } from '../../sandbox/engine/build-query.js';
import type { RequestEngine } from '../../sandbox/engine/engine-address.js';
import type { AllowedHosts } from '../../sandbox/engine/engine-hosts.js';
import { EngineProxy } from '../../sandbox/engine/engine-proxy.js';
import { findProgram, programPaths } from '../../sandbox/layout.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { Log } from '../../shared/log.js';
import { DockerError } from '../container/docker-errors.js';
import { BuildFailed, BuildNeedsBuildKit, OutputTail } from './build-output.js';

/** Environment variable of the tool and its children on this machine. */
export const buildMarker = 'SVC_BUILD';

interface DevcontainerCliOptions {
  /** The tool: a script for this Node, or a program. */
  readonly cliPath: string;
  readonly retainedBytes: number;
  readonly timeoutMs: number;
  /** Hosts at private addresses that the engine may contact for builds. */
  readonly allowedHosts: AllowedHosts;
}

export interface CliRun {
  readonly workspaceId: string;
  /** Work folder of this run. */
  readonly folder: string;
  /** Folder of the engine proxy's socket; only the agent writes there. */
  readonly engineFolder: string;
  /** A folder that the tool may read; null: none. */
  readonly repository: string | null;
  /** Files of the repository that the tool may write. */
  readonly writable: readonly string[];
  /** Labels of every image that it builds. */
  readonly labels: Readonly<Record<string, string>>;
  /** The only container that it may use. */
  readonly containerId: string | null;
  /** Builds the images of this run; null: the classic builder does. */
  readonly buildKit: BuildKit | null;
  /** Network and limits of builds; null: this run builds nothing. */
  readonly place: BuildPlace | null;
  readonly signal: AbortSignal;
  readonly onOutput: (chunk: Buffer) => void;
}

interface DevcontainerCliDeps {
  readonly sandbox: Sandbox;
  readonly requestEngine: () => Promise<RequestEngine>;
  /** The load of the machine, for timeouts. */
  readonly diagnose: () => Promise<ResourceDiagnostics>;
  readonly log: Log;
}

/** Path of the socket's folder inside the sandbox. */
const enginePlace = '/run/engine';
const maxAnswerBytes = 16 * 1024 ** 2;
/** Limit per run: refused requests must not fill the log. */
const loggedRefusals = 20;

/** Message of the docker command for an unavailable engine. */
const engineAway = /Cannot connect to the Docker daemon|error during connect/;
const Outcome = z.looseObject({
  outcome: z.optional(z.string()),
  message: z.optional(z.string()),
  description: z.optional(z.string()),
});

/** Runs the dev container tool in a sandbox, without the agent's environment. */
export class DevcontainerCli {
  constructor(
    private readonly options: DevcontainerCliOptions,
    readonly deps: DevcontainerCliDeps,
  ) {}

  /** What this node lacks to run the tool; null: nothing. */
  async missing(): Promise<string | null> {
    if (!(await isReadable(this.options.cliPath))) return 'the dev container tool';
    if ((await findProgram('docker')) === null) return 'the docker command';
    const noSandbox = await this.deps.sandbox.unavailable();
    return noSandbox === null ? null : `a sandbox for builds: ${noSandbox}`;
  }

  /**
   * Runs the tool and returns its result.
   * @throws BuildFailed with the end of its output, BuildNeedsBuildKit when a run with BuildKit
   *   could succeed, or DockerError when no engine answers
   */
  async run(args: readonly string[], run: CliRun): Promise<z.infer<typeof Outcome>> {
    const tail = new OutputTail(this.options.retainedBytes);
    const { code, answer, isLate, needs } = await this.finish(args, run, (chunk) => {
      tail.add(chunk);
      run.onOutput(chunk);
    });
    run.signal.throwIfAborted();
    if (isLate) throw new BuildFailed(await this.timeoutText(args), tail.text);
    if (code === 0) return answer;
    if (needs !== null) throw new BuildNeedsBuildKit(needs, tail.text);
    if (engineAway.test(tail.text.slice(-2_000))) throw new DockerError('Docker engine is not available');
    throw new BuildFailed(reasonOf(answer) || `The dev container tool exited with code ${code}`, tail.text);
  }

  private async timeoutText([command = '']: readonly string[]): Promise<string> {
    const name = command === 'run-user-commands' ? 'The commands of the dev container' : 'The build';
    const seconds = Math.round(this.options.timeoutMs / 1_000);
    const { message } = await this.deps.diagnose();
    return `${name} timed out after ${seconds} s. ${message}`;
  }

  private async finish(args: readonly string[], run: CliRun, onOutput: (chunk: Buffer) => void) {
    const { cliPath, timeoutMs } = this.options;
    const late = AbortSignal.timeout(timeoutMs);
    const signal = AbortSignal.any([run.signal, late]);
    const isScript = /\.[cm]?js$/.test(cliPath);
    // The single-executable agent cannot run scripts.
    const node = isSea() ? 'node' : process.execPath;
    const command = isScript ? [node, cliPath, ...args] : [cliPath, ...args];
    let needs: string | null = null;
    await using _door = await this.openDoor(run, (reason) => {
      needs ??= reason;
    });
    const env = await environment(run);
    await this.deps.sandbox.own(run.folder);
    const [file, ...rest] = this.deps.sandbox.wrap(command, await this.view(run));
    // Own process group, so that all children end with it.
    const child = spawn(file, rest, { detached: true, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const end = () => endGroup(child.pid);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    const chunks: Buffer[] = [];
    let bytes = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxAnswerBytes) end();
      else chunks.push(chunk);
    });
    child.stderr.on('data', onOutput);
    try {
      const code = await new Promise<number | null>((resolve, reject) => {
        child.once('error', reject);
        child.once('close', resolve);
      });
      const output = Buffer.concat(chunks).toString('utf8');
      return { code, answer: parseAnswer(output), isLate: late.aborted, needs };
    } finally {
      signal.removeEventListener('abort', end);
      // Ends processes that it left in the background.
      end();
    }
  }

  private async openDoor(run: CliRun, onBuildKitNeeded: (reason: string) => void): Promise<EngineProxy> {
    const { workspaceId, labels, containerId, buildKit, place, engineFolder: folder } = run;
    const { requestEngine, log } = this.deps;
    let refusals = 0;
    return EngineProxy.open({
      folder,
      scope: { workspaceId, labels, containerId, place },
      allowedHosts: this.options.allowedHosts,
      request: await requestEngine(),
      buildKit,
      onBuildKitNeeded,
      onRefused: (reason) => {
        refusals += 1;
        if (refusals <= loggedRefusals)
          log.warn('Refused an engine request of a build', { workspaceId, reason });
      },
    });
  }

  private async view(run: CliRun) {
    const docker = await findProgram('docker');
    const programs = [
      process.execPath,
      join(dirname(this.options.cliPath), '.'),
      ...(docker ? [docker] : []),
    ];
    const paths = await Promise.all(programs.map(programPaths));
    return {
      workDir: run.folder,
      readable: [...paths.flat(), ...(run.repository ? [run.repository] : [])],
      writable: [run.folder, ...run.writable],
      mounts: [{ from: run.engineFolder, to: enginePlace }],
    };
  }
}

async function environment({ workspaceId, folder }: CliRun): Promise<Record<string, string>> {
  const home = join(folder, 'home');
  const temporary = join(folder, 'tmp');
  for (const path of [home, temporary]) await mkdir(path, { recursive: true, mode: 0o700 });
  return {
    ...(process.env.PATH ? { PATH: process.env.PATH } : {}),
    DOCKER_HOST: `unix://${enginePlace}/engine.sock`,
    HOME: home,
    TMPDIR: temporary,
    LANG: 'C.UTF-8',
    NODE_NO_WARNINGS: '1',
    // The tool never speaks the protocol of BuildKit.
    DOCKER_BUILDKIT: '0',
    [buildMarker]: workspaceId,
  };
}

/** "Command failed: <command line>" is no reason; the command's output follows. */
function reasonOf({ message = '', description = '' }: z.infer<typeof Outcome>): string {
  const reasons = message.startsWith('Command failed: ') ? [description] : [description, message];
  return reasons.filter(Boolean).join(' ');
}

/** The last line of standard output; the tool logs to standard error. */
function parseAnswer(stdout: string): z.infer<typeof Outcome> {
  try {
    return Outcome.parse(JSON.parse(stdout.trim().split('\n').at(-1) ?? ''));
  } catch {
    return {};
  }
}

async function isReadable(path: string): Promise<boolean> {
  return access(path, constants.R_OK).then(
    () => true,
    () => false,
  );
}
