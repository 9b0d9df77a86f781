// Writes the fixed sample: `tsx scripts/mutants/choose.ts`. A new sample makes earlier figures
// useless.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../run.mjs';
import { type Mutant, samplePath } from './mutant.js';
import { placesIn } from './places.js';

const seed = 37;
const size = 100;
/** A mutant that many tests can notice is tried with the first of them. */
const mostTests = 4;
const sources = /^(?:lambdas\/(?:domain|edge|sagas)|agent\/src|protocol|web\/src)\/.*(?<!\.test|\.d)\.ts$/;
const tests = /^(?:lambdas|agent|protocol|web)\/.*\.test\.ts$|^test\/integration\/.*\.test\.ts$/;

const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

/** Tests by the source that they import themselves. */
const importers = new Map<string, string[]>();
for (const test of files.filter((file) => tests.test(file)))
  for (const [, path = ''] of read(test).matchAll(/from '(\.[^']+)\.js'/g)) {
    const source = `${join(dirname(test), path)}.ts`;
    importers.set(source, [...(importers.get(source) ?? []), test]);
  }

const places: readonly Mutant[] = files
  .filter((file) => sources.test(file) && importers.has(file))
  .flatMap((file) =>
    placesIn(read(file)).map((place) => ({
      file,
      ...place,
      tests: (importers.get(file) ?? []).slice(0, mostTests),
    })),
  );
const sample = shuffled(places).slice(0, size);
writeFileSync(join(root, samplePath), `${JSON.stringify(sample, null, 2)}\n`);
console.log(`${sample.length} of ${places.length} places in ${samplePath}`);

/** In an order that the seed alone decides. */
function shuffled<T>(values: readonly T[]): readonly T[] {
  let state = seed;
  const next = () => {
    // Numerical Recipes' generator; its high bits are random enough to sort by.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state;
  };
  return values
    .map((value) => ({ value, rank: next() }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ value }) => value);
}
