import { checkExit, outputSlackBytes, type WorkspaceCommands } from '../files/workspace-commands.js';
import type { Workspace } from '../workspaces/workspace.js';

/** Limit of a credential file. */
const maxBytes = 1_024 * 1_024;
const timeoutMs = 10_000;

/** Writes with umask 077 and renames, so that other users can never read the file. */
const writeScript = `
umask 077
path=$HOME/$1
mkdir -p "\${path%/*}" && chmod 700 "\${path%/*}" || exit 46
cat >"$path.svc-new" && chmod 600 "$path.svc-new" && mv -f "$path.svc-new" "$path" || exit 46`;

const readScript = `[ -f "$HOME/$1" ] || exit 40; exec cat "$HOME/$1"`;

const anyScript = `for name; do [ -s "$HOME/$name" ] && exit 0; done; exit 40`;

/** Credential files in the home folder of a workspace's user. */
export class HomeFiles {
  constructor(private readonly commands: WorkspaceCommands) {}

  async write(workspace: Workspace, path: string, content: string): Promise<void> {
    const argv = ['/bin/sh', '-c', writeScript, 'sh', path];
    const program = { argv, timeoutMs, hasInput: true, outputBytes: outputSlackBytes };
    const { stdin, stdout, ended } = await this.commands.open(workspace, program);
    stdout.resume();
    stdin.on('error', () => undefined);
    stdin.end(content);
    checkExit(await ended);
  }

  /** Null when the file does not exist or exceeds the limit. */
  async read(workspace: Workspace, path: string): Promise<string | null> {
    const program = { argv: ['/bin/sh', '-c', readScript, 'sh', path], timeoutMs };
    const { output, exitCode, isTruncated } = await this.commands.collect(workspace, program, maxBytes);
    return exitCode === 0 && !isTruncated ? output.toString() : null;
  }

  async hasAny(workspace: Workspace, paths: readonly string[]): Promise<boolean> {
    if (paths.length === 0) return false;
    const program = { argv: ['/bin/sh', '-c', anyScript, 'sh', ...paths], timeoutMs };
    return (await this.commands.collect(workspace, program, 1_024)).exitCode === 0;
  }
}
