import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runCloudNemesis } from './cloud-run.js';

/**
 * `npm run nemesis:cloud -- --prompts 1000 --chats 20 --seed N`: the long run. A violation makes it
 * fail; its history is left in .cache.
 */
const root = fileURLToPath(new URL('../../..', import.meta.url));
const { values } = parseArgs({
  options: {
    prompts: { type: 'string', default: '1000' },
    chats: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    built: { type: 'boolean', default: false },
  },
});
const [prompts, chats, seed] = [values.prompts, values.chats, values.seed].map(Number);
if (!prompts || !chats || seed === undefined || Number.isNaN(seed))
  throw new Error('--prompts, --chats and --seed are numbers');

const result = await runCloudNemesis({
  prompts,
  chats,
  seed,
  isBuilt: values.built,
  pauseMs: [2_000, 8_000],
  faultsMs: 5 * 60_000,
  settleMs: 10 * 60_000,
  onProgress: (reported) => console.log(`${new Date().toISOString().slice(11, 19)} ${reported}`),
});
const { history, ...verdict } = result;
console.log(JSON.stringify({ seed, ...verdict }, null, 2));
mkdirSync(join(root, '.cache'), { recursive: true });
writeFileSync(
  join(root, '.cache/nemesis-cloud-history.json'),
  JSON.stringify({ ...history, shown: [...history.shown], said: [...history.said] }),
);
process.exit(result.violations.length === 0 ? 0 : 1);
