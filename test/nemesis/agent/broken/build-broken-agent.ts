import { mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildAgent } from '../../../../scripts/build-agent.js';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const brokenStore = fileURLToPath(new URL('write-behind-store.ts', import.meta.url));

/** The agent with a store of receipts that must not be: for the checker to find. */
export function buildBrokenAgent(how: 'after_the_turn' | 'some_time_later'): Promise<string> {
  // Below node_modules, where the pseudo terminals are found.
  const folder = join(root, '.cache');
  mkdirSync(folder, { recursive: true });
  return buildAgent(join(mkdtempSync(join(folder, 'broken-agent-')), 'main.js'), [
    {
      name: 'broken-store',
      setup: ({ initialOptions, onResolve }) => {
        initialOptions.define = { ...initialOptions.define, berthBroken: JSON.stringify(how) };
        onResolve({ filter: /\/receipt-store\.js$/ }, ({ importer }) =>
          importer === brokenStore ? undefined : { path: brokenStore },
        );
      },
    },
  ]);
}
