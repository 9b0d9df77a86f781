import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildAgent } from '../../../scripts/build-agent.js';
import { setup } from '../../support/emulator.setup.js';
import { runEvictionNemesis } from './eviction-run.js';

/**
 * `npm run nemesis:eviction -- --evictions 200 --seed N`: the long run. It ends at the first
 * violation, and then fails; `--minutes N` ends it earlier. Its history is left in .cache.
 */
const root = fileURLToPath(new URL('../../..', import.meta.url));
const { values } = parseArgs({
  options: {
    evictions: { type: 'string', default: '200' },
    workspaces: { type: 'string', default: '4' },
    minutes: { type: 'string', default: '600' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const [evictions, workspaces, seed] = [values.evictions, values.workspaces, values.seed].map(Number);
if (!evictions || !workspaces || seed === undefined || Number.isNaN(seed))
  throw new Error('--evictions, --workspaces and --seed are numbers');

const withinMs = Number(values.minutes) * 60_000;
process.env.LOG_LEVEL ??= 'SILENT';
const folder = join(root, '.cache', `nemesis-eviction-${process.pid}`);
const bundle = await buildAgent(join(folder, 'main.js'));
const stop = await setup();
const onProgress = (reported: string) => console.log(`${new Date().toISOString().slice(11, 19)} ${reported}`);
const { history, ...verdict } = await runEvictionNemesis({
  evictions,
  workspaces,
  seed,
  bundle,
  withinMs,
  onProgress,
});
await stop();
rmSync(folder, { recursive: true });
console.log(JSON.stringify({ seed, ...verdict }, null, 2));
mkdirSync(join(root, '.cache'), { recursive: true });
writeFileSync(join(root, `.cache/nemesis-eviction-history-${seed}.json`), JSON.stringify(history));
process.exit(verdict.violations.length === 0 ? 0 : 1);
