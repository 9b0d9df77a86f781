import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildAgent } from '../../../scripts/build-agent.js';
import { runNemesis } from './nemesis-run.js';
import { writeResult } from './written-result.js';

/**
 * `npm run nemesis:agent -- --prompts 10000 --seed N`: the long run. Writes its result to
 * docs/reliability.md. Fails on a violation.
 */
const root = fileURLToPath(new URL('../../..', import.meta.url));
const page = join(root, 'docs/reliability.md');
const { values } = parseArgs({
  options: {
    prompts: { type: 'string', default: '10000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    drivers: { type: 'string', default: '8' },
  },
});
const [prompts, seed, drivers] = [values.prompts, values.seed, values.drivers].map(Number);
if (!prompts || !drivers || seed === undefined || Number.isNaN(seed))
  throw new Error('--prompts, --drivers and --seed are numbers');

/** Own build folder: another build during the run must not change the tested agent. */
const folder = join(root, '.cache', `nemesis-${process.pid}`);
const bundle = await buildAgent(join(folder, 'main.js'));

const result = await runNemesis({
  bundle,
  prompts,
  seed,
  drivers,
  pace: { least: 5, most: 60 },
  onProgress: (done) => console.log(`${done} of ${prompts} (seed ${seed})`),
});
const { history, ...verdict } = result;
console.log(JSON.stringify(verdict, null, 2));
writeFileSync(join(root, '.cache/nemesis-history.json'), JSON.stringify(history));
rmSync(folder, { recursive: true });
writeResult(page, result, { prompts, seed });
process.exit(result.violations.length === 0 ? 0 : 1);
