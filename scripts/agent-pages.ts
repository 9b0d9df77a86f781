import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { agentRows } from '../agent/api/contracts.js';
import { routesTable, settingsTable, terminalClientTable } from './agent-openapi/pages.js';

/**
 * Writes the tables of the agent's pages, each between its marks. With `--check` it writes nothing
 * and fails when one is stale.
 */
const docs = join(dirname(fileURLToPath(import.meta.url)), '../docs');
const tables = [
  ['agent-settings.md', 'settings', settingsTable()],
  ['agent-api.md', 'routes', routesTable(agentRows)],
  ['agent-sockets.md', 'terminal-client', terminalClientTable()],
] as const;

for (const [page, mark, table] of tables) {
  const file = join(docs, page);
  const text = readFileSync(file, 'utf8');
  const [begin, end] = [`<!-- ${mark}: begin -->`, `<!-- ${mark}: end -->`];
  const [before, rest] = text.split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`docs/${page} has no marks for ${mark}`);
  const written = `${before}${begin}\n\n${table}\n\n${end}${after}`;
  if (written === text) continue;
  if (process.argv.includes('--check')) {
    console.error(`docs/${page} is stale. Run: npm run generate`);
    process.exitCode = 1;
  } else writeFileSync(file, written);
}
