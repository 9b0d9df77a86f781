import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { devNull } from 'node:os';
import { redactText } from '../log/redact.js';
import { credentialHelper } from './git-settings.js';

const keptOutputBytes = 4_096;

export interface CloneOptions {
  /** Made by the clone; must not be there, or be empty. */
  readonly folder: string;
  readonly cloneUrl: string;
  readonly branch: string | null;
  readonly filter: string | null;
  readonly socketPath: string;
  readonly signal: AbortSignal;
}

/** Something went wrong that the person who asked for the workspace can understand. */
export class GitFailed extends Error {
  override readonly name = 'GitFailed';
}

/**
 * Clones with credentials from the socket; nothing of them stays behind. A repository without commits gives an
 * empty folder on the wanted branch.
 */
export async function cloneRepository(options: CloneOptions): Promise<void> {
  const { cloneUrl, branch, folder, filter } = options;
  if (!/^https?:$/.test(new URL(cloneUrl).protocol)) throw new GitFailed('Only HTTP addresses can be cloned');
  const filterArguments = filter === null ? [] : [`--filter=${filter}`];
  const clone = (...more: string[]) =>
    git(['clone', ...filterArguments, ...more, '--', cloneUrl, folder], options);
  try {
    await clone(...(branch === null ? [] : [`--branch=${branch}`]));
  } catch (error) {
    if (!(error instanceof GitFailed) || !/Remote branch .* not found/.test(error.message)) throw error;
    if ((await git(['ls-remote', '--', cloneUrl], options)).trim() !== '')
      throw new GitFailed(`The repository has no branch "${branch}"`, { cause: error });
    await clone();
    await git(['-C', folder, 'symbolic-ref', 'HEAD', `refs/heads/${branch}`], options);
  }
}

/** A repository of its own, for a workspace that was given none. */
export async function initRepository(options: Pick<CloneOptions, 'folder' | 'branch' | 'signal'>) {
  await mkdir(options.folder, { recursive: true });
  await git(['init', `--initial-branch=${options.branch ?? 'main'}`, options.folder], {
    ...options,
    socketPath: devNull,
  });
}

interface GitOptions {
  readonly socketPath: string;
  readonly signal: AbortSignal;
}

/** Runs git without any settings of this machine and without a terminal to ask at. */
async function git(args: readonly string[], { socketPath, signal }: GitOptions): Promise<string> {
  const settings = ['credential.helper=', `credential.helper=${credentialHelper(socketPath)}`];
  const options = settings.flatMap((setting) => ['-c', setting]);
  const child = spawn('git', [...options, ...args], {
    signal,
    killSignal: 'SIGKILL',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      HOME: devNull,
      LC_ALL: 'C',
      GIT_TERMINAL_PROMPT: '0',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: devNull,
      GIT_ALLOW_PROTOCOL: 'http:https',
    },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout = (stdout + chunk).slice(-keptOutputBytes);
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk).slice(-keptOutputBytes);
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code === 0) return stdout;
  throw new GitFailed(explain(stderr) || `git ended with code ${code}`);
}

/** The lines of git's complaint that say what is wrong. */
function explain(stderr: string): string {
  const lines = redactText(stderr)
    .split(/[\r\n]+/)
    .filter((line) => line && !/^(?:Cloning into|remote: (?:Enumerating|Counting|Compressing))/.test(line));
  return lines.slice(-4).join('; ').slice(0, 1_000);
}
