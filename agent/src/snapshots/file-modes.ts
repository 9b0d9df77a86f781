import type { ArchiveReader } from './archive.js';
import { requireInside } from './folder-paths.js';
import type { Section } from './section-writer.js';
import { namesEndedByNul, type WorkspaceShell } from './workspace-shell.js';

const changeScript = 'exec xargs -0 chmod "$1"';
/** The type is in the first digit: a regular file. */
const ownMode = /^8([0-9a-f]{3}) (.+)\/$/;

/** The permissions of unchanged files, which a checkout would not give them. */
export function modesSection(name: string, lines: readonly string[]): Section[] {
  const kept = lines.filter((line) => ownMode.test(line));
  return kept.length > 0 ? [{ name, content: Buffer.from(`${kept.join('\n')}\n`) }] : [];
}

interface FileModes {
  readonly folder: string;
  readonly section: string;
}

/** Does nothing for a snapshot without such files. */
export async function restoreModes(
  shell: WorkspaceShell,
  archive: ArchiveReader,
  { folder, section }: FileModes,
): Promise<void> {
  if (!archive.has(section)) return;
  const names = new Map<string, string[]>();
  for (const line of (await archive.read(section)).toString().split('\n')) {
    const [, mode = '', name] = ownMode.exec(line) ?? [];
    if (name) names.set(mode, [...(names.get(mode) ?? []), name]);
  }
  for (const [mode, paths] of names) {
    requireInside(paths);
    const permissions = Number.parseInt(mode, 16).toString(8);
    const input = namesEndedByNul(paths);
    await shell.read({ text: changeScript, args: [permissions], workDir: folder, input });
  }
}
