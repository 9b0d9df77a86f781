import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { agentRows } from '../agent/api/contracts.js';
import { routes } from '../lambdas/routes.js';
import { controlPlaneEndpoints, nodeEndpoints } from './interface-endpoints.js';

/**
 * Writes docs/interface-coverage.md: each endpoint of both interface documents with the file that
 * serves or describes it. With
 * `--check` it writes nothing and fails when the page is stale.
 */
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const page = join(root, 'docs/interface-coverage.md');

/** Parameters may be named differently on both sides; a method in front. */
const shapeOf = (endpoint: string): string => endpoint.replace(/\{[^}]*\}/g, '{}');

function controlPlaneFiles(): ReadonlyMap<string, string> {
  const rows = routes.map(
    ({ method, path, file }) => [shapeOf(`${method} ${path}`), `lambdas/http/${file}.ts`] as const,
  );
  return new Map(rows.filter(([, file]) => existsSync(join(root, file))));
}

/** From the agent's own table, which a test holds to be what it serves. */
function nodeFiles(): ReadonlyMap<string, string> {
  return new Map(
    agentRows.map(({ area, contract: { method, path, responses } }) => {
      const verb = method === 'any' ? method : 101 in responses ? 'WebSocket' : method.toUpperCase();
      return [shapeOf(`${verb} ${path}`), `agent/api/${area}.ts`] as const;
    }),
  );
}

function section(title: string, endpoints: readonly string[], files: ReadonlyMap<string, string>): string {
  const rows = endpoints.map((endpoint) => {
    const file = files.get(shapeOf(endpoint));
    return `| \`${endpoint}\` | ${file ? `[${file}](../${file})` : 'not yet'} |`;
  });
  const served = endpoints.filter((endpoint) => files.has(shapeOf(endpoint))).length;
  return `## ${title}\n\n${served} of ${endpoints.length} served.\n\n| Endpoint | Served by |\n|---|---|\n${rows.join('\n')}\n`;
}

const text = `# Interface coverage

\`npm run generate\` writes this page; \`npm run check\` fails when it is stale.

${section('Control plane', controlPlaneEndpoints, controlPlaneFiles())}
${section('Node agent', nodeEndpoints, nodeFiles())}`;

if (!process.argv.includes('--check')) {
  writeFileSync(page, text);
} else if (readFileSync(page, 'utf8') !== text) {
  console.error('docs/interface-coverage.md is stale. Run: npm run generate');
  process.exit(1);
}
