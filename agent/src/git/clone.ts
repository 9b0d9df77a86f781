import { lstat, mkdir } from 'node:fs/promises';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { endGroup } from '../node/end-group.js';
import { spawn } from '../node/process-priority.js';
import { findProgram, programPaths } from '../sandbox/find-program.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import { redactText } from '../shared/redact.js';
import { hardenedArguments, hardenedEnvironment } from './hardened-settings.js';

const keptOutputBytes = 4_096;

/** In the environment of git and of all that it starts here, with the workspace that it works for. */
export const cloneMark = 'SVC_CLONE';

export interface CloneOptions {
  readonly workspaceId: string;
  /** Made by the clone; must not be there, or be empty. */
  readonly folder: string;
  readonly cloneUrl: string;
  readonly branch: string | null;
  /** From which a missing branch is made; the first that is there. Null: the repository's own choice. */
  readonly bases: readonly (string | null)[];
  readonly filter: string | null;
  readonly socketPath: string;
  /** Null: git runs as the agent's user, and sees what that sees. */
  readonly sandbox: Sandbox | null;
  readonly signal: AbortSignal;
}

export interface Cloned {
  /** What people should know of it beyond that it is there. */
  readonly notes: readonly string[];
}

/** Something went wrong that the person who asked for the workspace can understand. */
export class GitFailed extends Error {
  override readonly name = 'GitFailed';
}

/**
 * Clones with credentials from the socket; nothing of them stays behind. A branch that is not there is made, for the
 * first push to send. A repository without commits gives an empty folder on the wanted branch. Submodules come along
 * as far as they can be had.
 */
export async function cloneRepository(options: CloneOptions): Promise<Cloned> {
  if (!/^https?:$/.test(new URL(options.cloneUrl).protocol))
    throw new GitFailed('Only HTTP addresses can be cloned');
  const { branch, sandbox, folder } = options;
  if (sandbox) {
    // The sandbox cannot make it: it sees nothing around it.
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await sandbox.own(folder);
  }
  const isThere = await clone(options, branch);
  const notes = isThere || branch === null ? [] : [await makeBranch(options, branch)];
  return { notes: [...notes, ...(await fetchSubmodules(options))] };
}

/** False when there is no such branch, and nothing was made then. */
async function clone(options: CloneOptions, branch: string | null): Promise<boolean> {
  const { cloneUrl, folder } = options;
  const chosen = branch === null ? [] : [`--branch=${branch}`];
  try {
    await git(['clone', ...filterOf(options), ...chosen, '--', cloneUrl, folder], options);
    return true;
  } catch (error) {
    if (error instanceof GitFailed && /Remote branch .* not found/.test(error.message)) return false;
    throw error;
  }
}

async function makeBranch(options: CloneOptions, branch: string): Promise<string> {
  const { folder, cloneUrl } = options;
  if ((await git(['ls-remote', '--', cloneUrl], options)).trim() === '') {
    await clone(options, null);
    await git(['-C', folder, 'symbolic-ref', 'HEAD', `refs/heads/${branch}`], options);
    return 'The repository is empty';
  }
  for (const base of options.bases) {
    if (!(await clone(options, base))) continue;
    // Without an upstream: a push must not go to the base.
    await git(['-C', folder, 'switch', '--no-track', '-c', branch], options);
    const from =
      base ?? (await git(['-C', folder, 'rev-parse', '--abbrev-ref', 'origin/HEAD'], options)).trim();
    return `The branch ${branch} is new, made from ${from}`;
  }
  const names = options.bases.filter((base) => base !== null).map((base) => `"${base}"`);
  throw new GitFailed(`The repository has neither a branch "${branch}" nor ${names.join(' nor ')}`);
}

/** Submodules are often out of reach, and much can be done without them. */
async function fetchSubmodules(options: CloneOptions): Promise<string[]> {
  const { folder, signal } = options;
  const hasSubmodules = await lstat(join(folder, '.gitmodules')).catch(() => null);
  if (!hasSubmodules?.isFile()) return [];
  try {
    const update = ['submodule', 'update', '--init', '--recursive', ...filterOf(options)];
    await git(['-C', folder, ...update], options);
    return [];
  } catch (error) {
    signal.throwIfAborted();
    return [`Submodules are missing: ${error instanceof Error ? error.message : error}`];
  }
}

function filterOf({ filter }: CloneOptions): string[] {
  return filter === null ? [] : [`--filter=${filter}`];
}

/** A repository of its own, for a workspace that was given none. */
export async function initRepository(
  options: Pick<CloneOptions, 'workspaceId' | 'folder' | 'branch' | 'signal'>,
) {
  await mkdir(options.folder, { recursive: true });
  await git(['init', `--initial-branch=${options.branch ?? 'main'}`, options.folder], {
    ...options,
    socketPath: devNull,
    // No text of others is read for it.
    sandbox: null,
  });
}

type GitOptions = Pick<CloneOptions, 'workspaceId' | 'socketPath' | 'signal' | 'sandbox' | 'folder'> &
  Partial<Pick<CloneOptions, 'cloneUrl'>>;

/** Where a sandbox sees the credential socket. */
const socketPlace = '/run/svc/git.sock';

/** Runs git without any settings of this machine and without a terminal to ask at. */
async function git(args: readonly string[], options: GitOptions): Promise<string> {
  const { workspaceId, signal } = options;
  signal.throwIfAborted();
  const [file, ...rest] = await commandLine(args, options);
  // Its own process group: what speaks HTTP for git would wait for a silent code host without it.
  const child = spawn(file, rest, {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...hardenedEnvironment(protocolsOf(options)), [cloneMark]: workspaceId },
  });
  const end = () => endGroup(child.pid);
  signal.addEventListener('abort', end, { once: true });
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
  }).finally(() => signal.removeEventListener('abort', end));
  signal.throwIfAborted();
  if (code === 0) return stdout;
  throw new GitFailed(explain(stderr) || `git ended with code ${code}`);
}

/** Submodules of a repository from an encrypted host are encrypted: loopback and metadata services are not. */
function protocolsOf({ cloneUrl }: GitOptions): readonly string[] {
  const isPlain = cloneUrl !== undefined && new URL(cloneUrl).protocol === 'http:';
  return isPlain ? ['http', 'https'] : ['https'];
}

async function commandLine(
  args: readonly string[],
  options: GitOptions,
): Promise<readonly [file: string, ...args: string[]]> {
  const { sandbox, folder, socketPath } = options;
  const hardened = (path: string) => [...hardenedArguments(path, protocolsOf(options)), ...args];
  if (!sandbox) return ['git', ...hardened(socketPath)];
  const program = await findProgram('git');
  return sandbox.wrap(['git', ...hardened(socketPlace)], {
    workDir: folder,
    writable: [folder],
    readable: program ? await programPaths(program) : [],
    mounts: socketPath === devNull ? [] : [{ from: socketPath, to: socketPlace }],
  });
}

const aside =
  /^(?:Cloning into|remote: (?:Enumerating|Counting|Compressing)|warning: Clone succeeded|You can inspect|and retry with)/;

/** The lines of git's complaint that say what is wrong; a full disk first, which it mentions in passing. */
function explain(stderr: string): string {
  const lines = redactText(stderr)
    .split(/[\r\n]+/)
    .filter((line) => line && !aside.test(line));
  const disk = lines.find((line) => line.includes('No space left on device'));
  return [...new Set([...(disk ? [disk] : []), ...lines.slice(-4)])].join('; ').slice(0, 1_000);
}
