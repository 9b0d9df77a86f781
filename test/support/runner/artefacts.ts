import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, relative } from 'node:path';

const linesOfEach = 12;
const mostLogs = 4;
const largestBytes = 5_000_000;

export interface Kept {
  readonly logs: string[];
  readonly artefacts: string;
}

/**
 * Copies the logs, screenshots and traces of these folders to `target`, and returns the last lines
 * of the logs that were written last.
 */
export function keepArtefacts(folders: readonly string[], target: string): Kept | undefined {
  const found = folders.flatMap(artefactsIn).toSorted((a, b) => b.changedAt - a.changedAt);
  if (found.length === 0) return undefined;
  mkdirSync(target, { recursive: true });
  for (const { path, name } of found) copyFileSync(path, join(target, name));
  const logs = found.filter(({ path }) => path.endsWith('.log')).slice(0, mostLogs);
  return { logs: logs.flatMap(({ path }) => lastLines(path)), artefacts: relative(process.cwd(), target) };
}

interface Artefact {
  readonly path: string;
  readonly name: string;
  readonly changedAt: number;
}

const isArtefact = (path: string): boolean => /(?:\.log|\.png|\/trace[^/]*\.zip)$/.test(path);
/** They hold copies of repositories, packages and images, not logs of parts. */
const skipped = /(?:^|\/)(?:node_modules|\.git|workspaces|repositories|overlay2|vfs)(?:\/|$)/;

function artefactsIn(folder: string): readonly Artefact[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => isArtefact(`/${path}`) && !skipped.test(path))
    .flatMap((path) => {
      const { isFile, size, mtimeMs } = statOf(join(folder, path));
      const name = `${basename(folder)}-${path.replaceAll('/', '-')}`;
      return isFile && size <= largestBytes ? [{ path: join(folder, path), name, changedAt: mtimeMs }] : [];
    });
}

function statOf(path: string) {
  const stat = statSync(path, { throwIfNoEntry: false });
  return { isFile: stat?.isFile() ?? false, size: stat?.size ?? 0, mtimeMs: stat?.mtimeMs ?? 0 };
}

function lastLines(path: string): readonly string[] {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n').slice(-linesOfEach);
  return [`${basename(path)}, last lines:`, ...lines.map((line) => line.slice(0, 200))];
}
