import { availableParallelism } from 'node:os';
import { functionFiles } from '../infra/function-files.js';
import { budgetKbOf } from './bundle-budget.js';
import { type BundleSize, bundleFunctions, readImports } from './lambdas/bundle-functions.js';

// esbuild's own process: collecting garbage a quarter as often makes the whole build a third
// faster.
process.env.GOGC ??= '400';

/**
 * Bundles every handler to `<name>/index.mjs` and prints what the largest weigh.
 * @throws {Error} naming the routes that exceed their budget
 */
export async function buildLambdas(outdir: string): Promise<void> {
  const started = performance.now();
  const sizes: BundleSize[] = [];
  const waiting = await groupsByClients();
  const bundleWaiting = async () => {
    for (let names = waiting.shift(); names !== undefined; names = waiting.shift())
      sizes.push(...(await bundleFunctions(names, { outdir })));
  };
  await Promise.all(Array.from({ length: availableParallelism() }, bundleWaiting));
  report(
    sizes.toSorted((a, b) => b.kb - a.kb),
    performance.now() - started,
  );
}

/**
 * Handlers that use the same AWS clients. esbuild decides once a build what is used, so that in one
 * build for all a function carries whatever any other uses of the SDK (660 KB for most instead of
 * 270); a build for each reads the SDK fifty times over (three times as long).
 */
async function groupsByClients(): Promise<string[][]> {
  const groups = new Map<string, string[]>();
  for (const [name, { imports }] of await readImports(functionFiles)) {
    const clients = imports.map(({ path }) => path).filter((path) => path.startsWith('@aws-sdk/client-'));
    const key = [...new Set(clients)].toSorted().join();
    groups.set(key, [...(groups.get(key) ?? []), name]);
  }
  return [...groups.values()];
}

function report(bundles: readonly BundleSize[], ms: number): void {
  for (const { name, kb } of bundles.slice(0, 5)) console.log(`${String(kb).padStart(5)} KB  ${name}`);
  const median = bundles[Math.floor(bundles.length / 2)]?.kb ?? 0;
  console.log(`${bundles.length} functions in ${(ms / 1000).toFixed(1)} s, median ${median} KB`);

  const over = bundles.filter(({ name, kb }) => name.startsWith('http/') && kb > budgetKbOf(name));
  if (over.length === 0) return;
  throw new Error(
    over.map(({ name, kb }) => `${name} weighs ${kb} KB, over the ${budgetKbOf(name)} KB budget`).join('\n'),
  );
}
