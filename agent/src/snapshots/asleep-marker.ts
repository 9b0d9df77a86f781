import { asleepMarker } from './snapshot-rules.js';
import type { WorkspaceShell } from './workspace-shell.js';

/**
 * A file in the home of a workspace that went to sleep: the key of its snapshot. A wake that finds
 * it has all files of the snapshot, and those that programs wrote while they ended.
 */
const readScript = `cat "\${HOME:?}/${asleepMarker}" 2>/dev/null; exit 0`;
const writeScript = `umask 077; cat >"\${HOME:?}/${asleepMarker}"`;
const clearScript = `rm -f -- "\${HOME:?}/${asleepMarker}"`;

/** Empty without the file, which then needs no `clearAsleepMarker`. */
export async function asleepMarkerOf(shell: WorkspaceShell): Promise<string> {
  return (await shell.read({ text: readScript, workDir: shell.place.root })).toString().trim();
}

export async function writeAsleepMarker(shell: WorkspaceShell, key: string): Promise<void> {
  await shell.read({ text: writeScript, workDir: shell.place.root, input: Buffer.from(key) });
}

export async function clearAsleepMarker(shell: WorkspaceShell): Promise<void> {
  await shell.run({ text: clearScript, workDir: shell.place.root });
}
