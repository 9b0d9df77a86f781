import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runSleepNemesis } from './sleep-run.js';

/**
 * `npm run nemesis:sleep -- --cycles 500 --chats 4 --seed N`: the long run. A violation makes it
 * fail; its history is left in .cache,
 * with logs and rows of a cycle that does not end.
 */
const root = fileURLToPath(new URL('../../..', import.meta.url));
const { values } = parseArgs({
  options: {
    cycles: { type: 'string', default: '500' },
    chats: { type: 'string', default: '4' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    built: { type: 'boolean', default: false },
  },
});
const [cycles, chats, seed] = [values.cycles, values.chats, values.seed].map(Number);
if (!cycles || !chats || seed === undefined || Number.isNaN(seed))
  throw new Error('--cycles, --chats and --seed are numbers');

const { history, ...verdict } = await runSleepNemesis({
  cycles,
  chats,
  seed,
  isBuilt: values.built,
  evidence: join(root, '.cache/nemesis-sleep-evidence'),
  onProgress: (reported) => console.log(`${new Date().toISOString().slice(11, 19)} ${reported}`),
});
console.log(JSON.stringify({ seed, ...verdict }, null, 2));
mkdirSync(join(root, '.cache'), { recursive: true });
writeFileSync(join(root, '.cache/nemesis-sleep-history.json'), JSON.stringify(history));
process.exit(verdict.violations.length === 0 ? 0 : 1);
