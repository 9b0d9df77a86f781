import { access, constants, mkdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { isSea } from 'node:sea';
import * as z from 'zod/mini';
import { endGroup } from '../../node/end-group.js';
import { spawn } from '../../node/precedence.js';
import { DockerFailed } from '../container/docker-failed.js';
import { BuildFailed } from './build-failed.js';
import { OutputTail } from './output-tail.js';

/** In the environment of the tool and of all that it starts on this machine. */
export const buildMark = 'SVC_BUILD';

export interface DevcontainerCliOptions {
  /** The tool: a script for this Node, or a program. */
  readonly cliPath: string;
  readonly retainedBytes: number;
  readonly timeoutMs: number;
}

export interface CliRun {
  readonly workspaceId: string;
  /** Belongs to this run; the tool leaves its remains there. */
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly onOutput: (chunk: Buffer) => void;
}

/** What the docker command says then. */
const engineAway = /Cannot connect to the Docker daemon|error during connect/;
const Outcome = z.looseObject({
  outcome: z.optional(z.string()),
  message: z.optional(z.string()),
  description: z.optional(z.string()),
});

/** Runs the dev container tool, with nothing of the agent's own environment. */
export class DevcontainerCli {
  constructor(private readonly options: DevcontainerCliOptions) {}

  /** Null, or what this node lacks for it. */
  async missing(): Promise<string | null> {
    if (!(await isReadable(this.options.cliPath))) return 'the dev container tool';
    return (await findProgram('docker')) === null ? 'the docker command' : null;
  }

  /**
   * The tool's own answer.
   * @throws BuildFailed with the end of its output, or DockerFailed when no engine answers
   */
  async run(args: readonly string[], run: CliRun): Promise<z.infer<typeof Outcome>> {
    const tail = new OutputTail(this.options.retainedBytes);
    const { code, answer, isLate } = await this.finish(args, run, (chunk) => {
      tail.add(chunk);
      run.onOutput(chunk);
    });
    run.signal.throwIfAborted();
    if (isLate)
      throw new BuildFailed(`Not done within ${Math.round(this.options.timeoutMs / 1_000)} s`, tail.text);
    if (code === 0) return answer;
    if (engineAway.test(tail.text.slice(-2_000))) throw new DockerFailed('No Docker engine answers');
    throw new BuildFailed(reasonOf(answer) || `The tool ended with code ${code}`, tail.text);
  }

  private async finish(args: readonly string[], run: CliRun, onOutput: (chunk: Buffer) => void) {
    const { cliPath, timeoutMs } = this.options;
    const late = AbortSignal.timeout(timeoutMs);
    const signal = AbortSignal.any([run.signal, late]);
    const isScript = /\.[cm]?js$/.test(cliPath);
    // An agent that is one executable cannot run scripts of others.
    const node = isSea() ? 'node' : process.execPath;
    const command = isScript ? [node, cliPath, ...args] : [cliPath, ...args];
    const [file = '', ...rest] = command;
    // Its own process group, so that all it has started ends with it.
    const child = spawn(file, rest, {
      detached: true,
      cwd: run.folder,
      env: await environment(run),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const end = () => endGroup(child.pid);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on('data', onOutput);
    try {
      const code = await new Promise<number | null>((resolve, reject) => {
        child.once('error', reject);
        child.once('close', resolve);
      });
      return { code, answer: parseAnswer(Buffer.concat(chunks).toString('utf8')), isLate: late.aborted };
    } finally {
      signal.removeEventListener('abort', end);
      // What it has left in the background must not work on.
      end();
    }
  }
}

async function environment({ workspaceId, folder }: CliRun): Promise<Record<string, string>> {
  const home = join(folder, 'home');
  const temporary = join(folder, 'tmp');
  for (const path of [home, temporary]) await mkdir(path, { recursive: true, mode: 0o700 });
  const passed = ['PATH', 'DOCKER_HOST', 'DOCKER_TLS_VERIFY', 'DOCKER_CERT_PATH', 'DOCKER_API_VERSION'];
  const known = passed.flatMap((name) => (process.env[name] ? [[name, process.env[name]] as const] : []));
  return {
    ...Object.fromEntries(known),
    HOME: home,
    TMPDIR: temporary,
    LANG: 'C.UTF-8',
    NODE_NO_WARNINGS: '1',
    [buildMark]: workspaceId,
  };
}

/** A command line of its own is no reason; what the command said follows anyway. */
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

async function findProgram(name: string): Promise<string | null> {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(folder, name);
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (folder && isThere) return path;
  }
  return null;
}

async function isReadable(path: string): Promise<boolean> {
  return access(path, constants.R_OK).then(
    () => true,
    () => false,
  );
}
