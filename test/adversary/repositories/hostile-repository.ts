import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** The text of a file, the target of a symbolic link, or the commit of a submodule. */
export type Entry = string | { readonly link: string } | { readonly submodule: string };

/** What a hostile repository may know of its target machine. */
export interface Target {
  /** A folder outside of the agent's folders, with a canary in it. */
  readonly outside: string;
  /** The agent's state folder. */
  readonly state: string;
  /** Address of the code host and control plane, on this machine's loopback. */
  readonly url: string;
  readonly image: string;
}

export interface HostileRepository {
  /** Title of the test: a fact about the product. */
  readonly name: string;
  readonly files: (target: Target) => Readonly<Record<string, Entry>>;
  /**
   * `running`: built without the hostile part. `recovering`: refused, runs the default image.
   * `failed`: not cloned.
   */
  readonly outcome: 'running' | 'recovering' | 'failed';
  /** Pattern of the reason in the boot log. */
  readonly reason?: RegExp;
  /** The same when BuildKit builds, where it differs. */
  readonly reasonOfBuildKit?: RegExp;
  /** Applied to the workspace's files by its own user, followed by a rebuild. */
  readonly change?: (target: Target) => string;
  /** Also tried in short runs. */
  readonly isGrave?: true;
}

const nowhere: Target = { outside: '/outside', state: '/state', url: 'http://127.0.0.1:1', image: 'image' };

/** Whether a builder has something to do: a Dockerfile, or features. */
export function isBuilt({ files }: HostileRepository): boolean {
  const { '.devcontainer/Dockerfile': dockerfile, '.devcontainer/devcontainer.json': text } = files(nowhere);
  return dockerfile !== undefined || (typeof text === 'string' && text.includes('"features"'));
}

/**
 * Creates a bare repository with one commit on main, also with entries that git would not write.
 */
export function addHostileRepository(
  root: string,
  name: string,
  files: Readonly<Record<string, Entry>>,
): void {
  const folder = join(root, `${name}.git`);
  const git = (args: readonly string[], input?: string) =>
    execFileSync('git', ['-C', folder, ...args], { input, stdio: ['pipe', 'pipe', 'pipe'] });
  execFileSync('git', ['init', '-q', '--bare', '--initial-branch=main', folder]);
  git(['config', 'uploadpack.allowFilter', 'true']);
  const lines = Object.entries(files).map(([path, entry]) => fileCommand(path, entry));
  const header = 'commit refs/heads/main\ncommitter t <t@t.example> 0 +0000\ndata 5\nfirst\n';
  git(['fast-import', '--quiet'], `${header}${lines.join('')}\n`);
}

function fileCommand(path: string, entry: Entry): string {
  const quoted = JSON.stringify(path);
  if (typeof entry === 'object' && 'submodule' in entry) return `M 160000 ${entry.submodule} ${quoted}\n`;
  const isLink = typeof entry === 'object';
  const text = isLink ? entry.link : entry;
  const mode = isLink ? '120000' : text.startsWith('#!') ? '100755' : '100644';
  return `M ${mode} inline ${quoted}\ndata ${Buffer.byteLength(text)}\n${text}\n`;
}
