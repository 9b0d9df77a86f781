import { lstat, mkdir } from 'node:fs/promises';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { endGroup } from '../node/end-group.js';
import { spawn } from '../node/process-priority.js';
import { findProgram, programPaths } from '../sandbox/layout.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import { redactText } from '../shared/redact.js';
import { endless, StreamLimit } from '../streams/byte-budget.js';
import { DiskWatch } from './disk-watch.js';
import { cloneArguments, cloneEnvironment } from './hardened-git.js';

const keptOutputBytes = 4_096;
const memoryBytes = 4 * 2 ** 30;
const processes = 8_192;

/**
 * Environment variable of git and of all programs that git starts here; its value is the workspace
 * id.
 */
export const cloneMarker = 'SVC_CLONE';

export interface CloneOptions {
  /** Value of the marker: this machine's only one for the workspace. */
  readonly marker: string;
  /** Created by the clone; must be missing or empty. */
  readonly folder: string;
  readonly cloneUrl: string;
  readonly branch: string | null;
  /** Branches to create a missing branch from; the first that exists. Null: the default branch. */
  readonly bases: readonly (string | null)[];
  readonly filter: string | null;
  readonly socketPath: string;
  /** Null: git runs as the agent's user and sees the agent's files. */
  readonly sandbox: Sandbox | null;
  /** The path of the folder in a sandbox. */
  readonly limitBytes: number;
  readonly signal: AbortSignal;
  /** Receives the messages of git as they arrive. */
  readonly onOutput?: ((text: string) => void) | undefined;
}

export interface CloneResult {
  /** Notes for the boot log. */
  readonly notes: readonly string[];
}

/** A failure whose message is meant for the owner of the workspace. */
export class GitFailed extends Error {
  override readonly name = 'GitFailed';
}

/**
 * Clones with credentials from the socket; no credentials stay in the clone. Creates a missing
 * branch locally. A repository without commits becomes an empty folder on the requested branch.
 * Submodules are fetched where that is possible.
 */
export async function cloneRepository(options: CloneOptions): Promise<CloneResult> {
  if (!/^https?:$/.test(new URL(options.cloneUrl).protocol))
    throw new GitFailed('The clone URL has an unsupported protocol. Use http or https');
  const { branch, sandbox, folder } = options;
  if (sandbox) {
    // The sandbox cannot create the folder: it does not see the parent.
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await sandbox.own(folder);
  }
  const isThere = await clone(options, branch);
  const notes = isThere || branch === null ? [] : [await makeBranch(options, branch)];
  return { notes: [...notes, ...(await fetchSubmodules(options))] };
}

/** Returns false, and creates nothing, when the branch does not exist. */
async function clone(options: CloneOptions, branch: string | null): Promise<boolean> {
  const { cloneUrl, folder } = options;
  const chosen = branch === null ? [] : [`--branch=${branch}`];
  try {
    await git(['clone', '--progress', ...filterOf(options), ...chosen, '--', cloneUrl, folder], options);
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
    return `Created branch ${branch} from ${from}`;
  }
  const names = options.bases.filter((base) => base !== null).map((base) => `"${base}"`);
  throw new GitFailed(`The repository has no branch "${branch}" and no branch ${names.join(' or ')}`);
}

/** A submodule that cannot be fetched does not fail the clone, unless it is too large. */
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
    if (error instanceof GitFailed && error.cause instanceof StreamLimit) throw error;
    return [`Submodules were not fetched: ${error instanceof Error ? error.message : error}`];
  }
}

function filterOf({ filter }: CloneOptions): string[] {
  return filter === null ? [] : [`--filter=${filter}`];
}

/** Creates an empty repository for a workspace without one. */
export async function initRepository(options: Pick<CloneOptions, 'marker' | 'folder' | 'branch' | 'signal'>) {
  await mkdir(options.folder, { recursive: true });
  await git(['init', `--initial-branch=${options.branch ?? 'main'}`, options.folder], {
    ...options,
    socketPath: devNull,
    // `git init` reads no foreign content.
    sandbox: null,
    limitBytes: endless,
  });
}

type GitOptions = Pick<
  CloneOptions,
  'marker' | 'socketPath' | 'signal' | 'sandbox' | 'folder' | 'limitBytes'
> &
  Partial<Pick<CloneOptions, 'cloneUrl' | 'onOutput'>>;

/** Where a sandbox sees the credential socket. */
const socketPlace = '/run/svc/git.sock';

/** Runs git without the settings of this machine and without a terminal. */
async function git(args: readonly string[], options: GitOptions): Promise<string> {
  const { marker, signal, folder, limitBytes, sandbox } = options;
  signal.throwIfAborted();
  using watch = sandbox && DiskWatch.start({ folder, limitBytes, source: 'The files of the clone' });
  const ending = watch ? AbortSignal.any([signal, watch.signal]) : signal;
  const [file, ...rest] = await commandLine(args, options);
  // Own process group: git's HTTP helper would otherwise keep waiting for a silent code host.
  const child = spawn(file, rest, {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...cloneEnvironment(protocolsOf(options)), [cloneMarker]: marker },
  });
  const end = () => endGroup(child.pid);
  ending.addEventListener('abort', end, { once: true });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout = (stdout + chunk).slice(-keptOutputBytes);
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk).slice(-keptOutputBytes);
    options.onOutput?.(chunk.toString('utf8'));
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  }).finally(() => ending.removeEventListener('abort', end));
  signal.throwIfAborted();
  const exceeded = await watch?.failure();
  if (exceeded) throw new GitFailed(exceeded.message, { cause: exceeded });
  if (code === 0) return stdout;
  throw new GitFailed(explain(stderr) || `git exited with code ${code}`);
}

/**
 * A repository fetched by https may fetch submodules by https only, so that they cannot address
 * loopback or metadata services, which speak plain http.
 */
function protocolsOf({ cloneUrl }: GitOptions): readonly string[] {
  const isPlain = cloneUrl !== undefined && new URL(cloneUrl).protocol === 'http:';
  return isPlain ? ['http', 'https'] : ['https'];
}

async function commandLine(
  args: readonly string[],
  options: GitOptions,
): Promise<readonly [file: string, ...args: string[]]> {
  const { sandbox, folder, socketPath } = options;
  const gitArguments = (path: string) => [...cloneArguments(path, protocolsOf(options)), ...args];
  if (!sandbox) return ['git', ...gitArguments(socketPath)];
  const program = await findProgram('git');
  return sandbox.wrap([...limits, 'git', ...gitArguments(socketPlace)], {
    workDir: folder,
    writable: [folder],
    readable: program ? await programPaths(program) : [],
    mounts: socketPath === devNull ? [] : [{ from: socketPath, to: socketPlace }],
  });
}

/**
 * Private memory of each process; a limit of addresses would count mapped packs too. Processes of
 * the sandbox's user. What they write is watched.
 */
const limits = ['prlimit', `--data=${memoryBytes}`, `--nproc=${processes}`, '--core=0', '--'];

const progressLine =
  /^(?:Cloning into|remote: (?:Enumerating|Counting|Compressing|Total)|(?:Receiving objects|Resolving deltas|Updating files|Filtering content): |warning: Clone succeeded|You can inspect|and retry with)/;

/**
 * The lines of git's output that say what is wrong. "Disk full" comes first: git buries that line.
 */
function explain(stderr: string): string {
  const lines = redactText(stderr)
    .split(/[\r\n]+/)
    .filter((line) => line && !progressLine.test(line));
  const disk = lines.find((line) => line.includes('No space left on device'));
  return [...new Set([...(disk ? [disk] : []), ...lines.slice(-4)])].join('; ').slice(0, 1_000);
}
