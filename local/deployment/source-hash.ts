import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Everything a deployment is made from. A file that is not there counts as not there. */
const sources = [
  'agent',
  'client',
  'cdk.json',
  'infra',
  'lambdas',
  'package-lock.json',
  'protocol',
  'scripts',
  'state-machines',
  'web',
];

/** One hash over all sources and what else decides the deployment; tests do not decide it. */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one branch for each form of the input
export function hashSources(root: string, decisions: readonly string[]): string {
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
