// npm run mutants -- [--commit HEAD] [--first 100]: replaces one operator at a time at the places
// of test/mutants/sample.json, and counts the mutants that their tests notice.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root, withNode } from '../run.mjs';
import { type Mutant, mutated, nameOf, readSample } from './mutant.js';
import { makeTree } from './tree.js';

type Fate = 'killed' | 'survived' | 'gone';

/** Tests that hang because of a mutant have noticed it. */
const longestMs = 10 * 60_000;
const lowest = 19;

const { values } = parseArgs({
  options: { commit: { type: 'string', default: 'HEAD' }, first: { type: 'string', default: '100' } },
});
const isSlow = (test: string): boolean => test.startsWith('test/');
/** Whether each test passes without a mutant. */
const unchanged = new Map<string, boolean>();
const tree = makeTree(root, values.commit);
const sample = readSample(root).slice(0, Number(values.first));
const fates = sample.map((mutant, index) => {
  const fate = fateOf(mutant);
  console.log(`${String(index + 1).padStart(3)} ${fate.padEnd(8)} ${nameOf(mutant)}`);
  return fate;
});
const count = (fate: Fate) => fates.filter((other) => other === fate).length;
const namesOf = (fate: Fate) => sample.filter((_, index) => fates[index] === fate).map(nameOf);
const result = {
  commit: spawnSync('git', ['rev-parse', 'HEAD'], { cwd: tree, encoding: 'utf8' }).stdout.trim(),
  date: new Date().toISOString().slice(0, 10),
  tried: sample.length,
  killed: count('killed'),
  survived: namesOf('survived'),
  gone: namesOf('gone'),
};
writeFileSync(join(root, '.cache/mutants.json'), `${JSON.stringify(result, null, 2)}\n`);
console.log(`\n${result.killed} of ${sample.length} killed, ${result.gone.length} gone: .cache/mutants.json`);

function fateOf(mutant: Mutant): Fate {
  const path = join(tree, mutant.file);
  const original = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  const source = original === undefined ? undefined : mutated(original, mutant);
  const tests = mutant.tests.filter((test) => existsSync(join(tree, test)));
  if (original === undefined || source === undefined || tests.length === 0) return 'gone';
  // A test that fails without the mutant proves nothing.
  const sound = tests.filter(passesUnchanged);
  // Unit tests first: most notice, and they take seconds.
  const rings = [sound.filter((test) => !isSlow(test)), sound.filter(isSlow)];
  writeFileSync(path, source);
  try {
    return rings.some((ring) => ring.length > 0 && !passes(ring)) ? 'killed' : 'survived';
  } finally {
    writeFileSync(path, original);
  }
}

function passesUnchanged(test: string): boolean {
  const isPassed = unchanged.get(test) ?? passes([test]);
  unchanged.set(test, isPassed);
  return isPassed;
}

function passes(tests: readonly string[]): boolean {
  const args = ['run', '--bail', '1', '--project', 'unit', '--project', 'integration', ...tests];
  const command = ['-n', String(lowest), join(root, 'node_modules/.bin/vitest'), ...args];
  const { status } = spawnSync('nice', command, { cwd: tree, env: withNode(), timeout: longestMs });
  return status === 0;
}
