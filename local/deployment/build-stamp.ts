import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashSources } from './source-hash.js';

const stampOf = (root: string): string => join(root, 'dist/built-from');

/** Whether `dist` was built, whole, from the sources as they are. */
export function isBuilt(root: string): boolean {
  return existsSync(stampOf(root)) && readFileSync(stampOf(root), 'utf8') === hashOf(root);
}

/** The whole of `dist` was built from these sources. */
export function stampBuild(root: string): void {
  mkdirSync(join(root, 'dist'), { recursive: true });
  writeFileSync(stampOf(root), hashOf(root));
}

/** A part of `dist` is about to change. */
export function forgetBuild(root: string): void {
  rmSync(stampOf(root), { force: true });
}

/** The agent's version names the commit. */
function hashOf(root: string): string {
  return hashSources(root, [commitOf(root)]);
}

function commitOf(root: string): string {
  try {
    return execFileSync('git', ['rev-parse', 'HEAD'], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return '';
  }
}
