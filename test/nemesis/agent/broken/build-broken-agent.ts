import { mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildAgent } from '../../../../scripts/build-agent.js';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const brokenStore = fileURLToPath(new URL('write-behind-store.ts', import.meta.url));

/** Builds the agent with a broken receipt store, which the checker must detect. */
export function buildBrokenAgent(how: 'after_the_turn' | 'some_time_later'): Promise<string> {
  // Next to node_modules, where the native package of pseudo terminals is found.
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
