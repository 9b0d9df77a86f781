import { rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { functionFiles, sourceExistsIn } from '../infra/function-files.js';
import { forgetBuild } from '../local/deployment/build-stamp.js';
import { budgetKbOf } from './bundle-budget.js';
import { type BundleSize, bundleFunctions, bundlesFolder, readImports } from './lambdas/bundle-functions.js';

/**
 * Bundles every handler to dist/lambdas/<name>/index.mjs, prints what each weighs and fails when a
 * route exceeds its budget. `--allow-missing` leaves out handlers that are not written yet; without
 * it they fail the build.
 */
const root = join(import.meta.dirname, '..');

// esbuild's own process: collecting garbage a quarter as often makes the whole build a third
// faster.
process.env.GOGC ??= '400';

const allowMissing = process.argv.includes('--allow-missing');
const verbose = process.argv.includes('--verbose');
const exists = sourceExistsIn(root);
const present = functionFiles.filter(exists);
const missing = functionFiles.filter((name) => !exists(name));

if (missing.length > 0) {
  const list = missing.map((name) => `  lambdas/${name}.ts`).join('\n');
  console.error(`${missing.length} of ${functionFiles.length} handlers have no source file:\n${list}`);
  if (!allowMissing) {
    console.error('Write them, remove their row from the table, or pass --allow-missing to go without them.');
    process.exit(1);
  }
}

const started = performance.now();
forgetBuild(root);
await rm(bundlesFolder, { recursive: true, force: true });
const sizes: BundleSize[] = [];
const waiting = await groupsByClients();
await Promise.all(Array.from({ length: availableParallelism() }, bundleWaiting));
report(sizes.toSorted((a, b) => b.kb - a.kb));

/**
 * Handlers that use the same AWS clients. esbuild decides once a build what is used, so that in one
 * build for all a function carries whatever any other uses of the SDK (660 KB for most instead of
 * 270); a build for each reads the SDK fifty times over (three times as long).
 */
async function groupsByClients(): Promise<string[][]> {
  const groups = new Map<string, string[]>();
  for (const [name, { imports }] of await readImports(present)) {
    const clients = imports.map(({ path }) => path).filter((path) => path.startsWith('@aws-sdk/client-'));
    const key = [...new Set(clients)].toSorted().join();
    groups.set(key, [...(groups.get(key) ?? []), name]);
  }
  return [...groups.values()];
}

async function bundleWaiting(): Promise<void> {
  for (let names = waiting.shift(); names !== undefined; names = waiting.shift())
    sizes.push(...(await bundleFunctions(names)));
}

function report(bundles: readonly BundleSize[]): void {
  const shown = verbose ? bundles : bundles.slice(0, 5);
  for (const { name, kb } of shown) console.log(`${String(kb).padStart(5)} KB  ${name}`);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const median = bundles[Math.floor(bundles.length / 2)]?.kb ?? 0;
  console.log(`${bundles.length} functions in ${seconds} s, median ${median} KB`);

  const over = bundles.filter(({ name, kb }) => name.startsWith('http/') && kb > budgetKbOf(name));
  if (over.length === 0) return;
  for (const { name, kb } of over)
    console.error(`${name} weighs ${kb} KB, over the ${budgetKbOf(name)} KB budget`);
  process.exit(1);
}
