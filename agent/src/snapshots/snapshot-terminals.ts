import { maxSnapshotTerminals, type SnapshotTerminal } from '../../../protocol/snapshots.js';
import type { Terminals } from '../terminals/terminals.js';
import type { WorkspaceShell } from './workspace-shell.js';

/** Prints `terminal<tab>folder` of every process that belongs to a terminal, parents first. */
const foldersScript = `
for process in $(ls /proc 2>/dev/null | grep '^[0-9]' | sort -n); do
  id=$(tr '\\0' '\\n' 2>/dev/null <"/proc/$process/environ" | sed -n 's/^SVC_TERMINAL=//p' | head -n 1)
  [ -z "$id" ] || printf '%s\\t%s\\n' "$id" "$(readlink "/proc/$process/cwd")"
done 2>/dev/null
exit 0`;

/** The open terminals, with the working directories of their shells. */
export async function snapshotTerminals(
  terminals: Pick<Terminals, 'running'>,
  shell: WorkspaceShell,
): Promise<SnapshotTerminal[]> {
  const open = terminals.running(shell.workspace.workspaceId).slice(0, maxSnapshotTerminals);
  if (open.length === 0) return [];
  const folders = new Map<string, string>();
  for (const line of await shell.lines({ text: foldersScript, workDir: shell.place.root })) {
    const [id = '', folder = ''] = line.split('\t');
    if (!folders.has(id)) folders.set(id, folder);
  }
  return open.map(({ terminalId, summary }) => ({
    name: summary.name?.slice(0, 200) ?? null,
    workDir: folders.get(terminalId) || summary.workingDirectory,
  }));
}
