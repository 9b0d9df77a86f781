import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * One hash over these files and folders, and what else decides what is made from them. A file that
 * is not there counts as not there. Tests decide nothing.
 */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one branch for each form of the input
export function hashSources(
  root: string,
  sources: readonly string[],
  decisions: readonly string[] = [],
): string {
  const hash = createHash('sha256');
  for (const decision of decisions) hash.update(`${decision}\0`);
  for (const source of sources) {
    const path = join(root, source);
    if (!existsSync(path)) continue;
    const files = statSync(path).isDirectory()
      ? readdirSync(path, { recursive: true, encoding: 'utf8' }).map((name) => join(source, name))
      : [source];
    for (const file of files.sort()) {
      if (file.endsWith('.test.ts') || !statSync(join(root, file)).isFile()) continue;
      hash
        .update(`${file}\0`)
        .update(readFileSync(join(root, file)))
        .update('\0');
    }
  }
  return hash.digest('hex');
}
