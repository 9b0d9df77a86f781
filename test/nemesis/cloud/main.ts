import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runChannelNemesis } from './channels/channel-run.js';
import { runCloudNemesis } from './cloud-run.js';

/**
 * `npm run nemesis:cloud -- --prompts 1000 --chats 20 --seed N` sends prompts. With `--publications
 * 2000 --agents 20 --channels 5`, agents publish on channels instead. A violation makes the run
 * fail; its history is left in .cache.
 */
const root = fileURLToPath(new URL('../../..', import.meta.url));
const { values } = parseArgs({
  options: {
    prompts: { type: 'string', default: '1000' },
    chats: { type: 'string', default: '20' },
    publications: { type: 'string', default: '0' },
    agents: { type: 'string', default: '20' },
    channels: { type: 'string', default: '5' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    built: { type: 'boolean', default: false },
  },
});
const { prompts, chats, publications, agents, channels, seed } = Object.fromEntries(
  Object.entries(values).map(([name, value]) => [name, Number(value)]),
) as Record<Exclude<keyof typeof values, 'built'>, number>;
if (![prompts, chats, publications, agents, channels, seed].every(Number.isInteger))
  throw new Error('All options except --built are whole numbers');

const settings = {
  seed,
  isBuilt: values.built,
  pauseMs: [2_000, 8_000] as const,
  settleMs: 10 * 60_000,
  onProgress: (reported: string) => console.log(`${new Date().toISOString().slice(11, 19)} ${reported}`),
};

async function run() {
  if (publications > 0) {
    const pauseMs = [200, 1_500] as const;
    // With the standard of 30 s, the 50 wakes of a subscription would take 25 minutes.
    const more = { pauseMs, cooldownMs: 10_000, settleMs: 20 * 60_000 };
    return runChannelNemesis({ ...settings, ...more, publications, agents, channels });
  }
  const result = await runCloudNemesis({ ...settings, prompts, chats, faultsMs: 5 * 60_000 });
  const { history } = result;
  return { ...result, history: { ...history, shown: [...history.shown], said: [...history.said] } };
}

const { history, ...verdict } = await run();
console.log(JSON.stringify({ seed, ...verdict }, null, 2));
mkdirSync(join(root, '.cache'), { recursive: true });
const name = publications > 0 ? 'nemesis-channel-history.json' : 'nemesis-cloud-history.json';
writeFileSync(join(root, '.cache', name), JSON.stringify(history));
process.exit(verdict.violations.length === 0 ? 0 : 1);
