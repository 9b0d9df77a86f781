import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { setup } from '../../support/emulator.setup.js';
import { runInteractionNemesis } from './interaction-run.js';

/**
 * `npm run nemesis:interactions -- --requests 500 --chats 6 --seed N`: the long run. Fails on a
 * violation. Its history is left in .cache.
 */
const root = fileURLToPath(new URL('../../..', import.meta.url));
const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '500' },
    chats: { type: 'string', default: '6' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const [requests, chats, seed] = [values.requests, values.chats, values.seed].map(Number);
if (!requests || !chats || seed === undefined || Number.isNaN(seed))
  throw new Error('--requests, --chats and --seed are numbers');

process.env.LOG_LEVEL ??= 'SILENT';
const stop = await setup();
const onProgress = (reported: string) => console.log(`${new Date().toISOString().slice(11, 19)} ${reported}`);
const { history, ...verdict } = await runInteractionNemesis({ requests, chats, seed, onProgress });
await stop();
console.log(JSON.stringify({ seed, ...verdict }, null, 2));
mkdirSync(join(root, '.cache'), { recursive: true });
writeFileSync(
  join(root, `.cache/nemesis-interactions-history-${seed}.json`),
  JSON.stringify({ ...history, faults: [...history.faults], inboxItems: [...history.inboxItems] }),
);
process.exit(verdict.violations.length === 0 ? 0 : 1);
