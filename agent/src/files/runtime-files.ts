import { randomBytes } from 'node:crypto';
import type { RuntimeAssets } from '../../../protocol/agent-callbacks.js';
import { KeyLock } from '../shared/key-lock.js';
import type { Log } from '../shared/log.js';
import type { FileOwner, RuntimeFileStore } from '../store/runtime-file-store.js';
import type { Workspace } from '../workspaces/workspace.js';
import { runtimeFilePath } from './runtime-file-path.js';
import { checkExit, outputSlackBytes, type WorkspaceCommands } from './workspace-commands.js';

type RuntimeFile = RuntimeAssets['files'][number];
type PlacedFile = RuntimeFile & { readonly absolute: string };

const timeoutMs = 10_000;

/** Enters the folder of `$2`, with checks that neither it nor a folder above leads out of `$1`. */
const enter = `
inside() { case "$(pwd -P)/" in "$root"/*) ;; *) exit 41 ;; esac; }
root=$(cd "$1" && pwd -P) || exit 40
folder=\${2%/*} name=\${2##*/} above=\${2%/*}
until [ -e "$above" ] || [ -L "$above" ]; do above=\${above%/*}; done
cd "$above" 2>/dev/null || exit 46
inside`;

/** `$3`: mode, `$4`: name of the temporary file. Replaces a link itself, not its target. */
const writeScript = `${enter}
mkdir -p "$folder" && cd "$folder" || exit 46
inside
[ -d "$name" ] && [ ! -L "$name" ] && exit 46
umask 077
cat >"$4" && chmod "$3" "$4" && rm -f "$name" && mv -f "$4" "$name" || { rm -f "$4"; exit 46; }`;

const removeScript = `${enter}
[ "$above" = "$folder" ] || exit 0
if [ -L "$name" ] || [ -f "$name" ]; then rm -f "$name" || exit 46; fi`;

/** Writes the files of profiles and skills in workspaces, and removes those that are gone. */
export class RuntimeFiles {
  private readonly lock = new KeyLock();

  constructor(
    private readonly commands: WorkspaceCommands,
    private readonly store: RuntimeFileStore,
    private readonly log: Log,
  ) {}

  /** Returns the paths that are not written, with reasons. */
  apply(workspace: Workspace, owner: string, files: readonly RuntimeFile[]): Promise<readonly string[]> {
    const { workspaceId } = workspace;
    return this.lock.run(workspaceId, () => this.replace(workspace, { workspaceId, owner }, files));
  }

  private async replace(
    workspace: Workspace,
    owner: FileOwner,
    files: readonly RuntimeFile[],
  ): Promise<readonly string[]> {
    const { placed, refused } = this.place(workspace, files);
    const earlier = this.store.of(owner);
    this.store.add(
      owner,
      placed.map(({ absolute }) => absolute),
    );
    const failed: string[] = [];
    for (const file of placed) failed.push(...(await this.write(workspace, file)));
    for (const path of earlier)
      if (!placed.some(({ absolute }) => absolute === path)) await this.remove(workspace, owner, path);
    return [...refused, ...failed];
  }

  private place(workspace: Workspace, files: readonly RuntimeFile[]) {
    const place = this.commands.place(workspace);
    const placed: PlacedFile[] = [];
    const refused: string[] = [];
    for (const file of files) {
      const found = runtimeFilePath(file.path, place);
      if ('reason' in found) refused.push(`${file.path.slice(0, 200)}: ${found.reason}.`);
      else placed.push({ ...file, absolute: found.absolute });
    }
    return { placed, refused };
  }

  private async write(
    workspace: Workspace,
    { path, absolute, content, isSecret }: PlacedFile,
  ): Promise<readonly string[]> {
    const name = `.svc-upload-${randomBytes(12).toString('hex')}`;
    try {
      await this.run(workspace, [writeScript, absolute, isSecret ? '600' : '644', name], content);
      return [];
    } catch (error) {
      this.log.warn('A file of a profile was not written', { workspaceId: workspace.workspaceId, error });
      return [`${path}: It could not be written. Check for links and folders in its place.`];
    }
  }

  private async remove(workspace: Workspace, owner: FileOwner, path: string): Promise<void> {
    if (!this.store.remove(owner, path)) return;
    try {
      await this.run(workspace, [removeScript, path], '');
    } catch (error) {
      // Recorded again: the next call removes it.
      this.store.add(owner, [path]);
      this.log.warn('A file of a profile was not removed', { workspaceId: workspace.workspaceId, error });
    }
  }

  private async run(workspace: Workspace, [script = '', ...rest]: readonly string[], input: string) {
    const { root } = this.commands.place(workspace);
    const argv = ['/bin/sh', '-c', script, 'sh', root, ...rest];
    const program = { argv, timeoutMs, hasInput: true, outputBytes: outputSlackBytes };
    const { stdin, stdout, ended } = await this.commands.open(workspace, program);
    stdout.resume();
    stdin.on('error', () => undefined);
    stdin.end(input);
    checkExit(await ended);
  }
}
