import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Authorisation, Route } from '../lambdas/route-row.js';
import { routes } from '../lambdas/routes.js';

/**
 * Writes docs/routes.md: the table of all HTTP routes. With `--check` it writes nothing and fails
 * when the page is stale.
 */
const page = join(import.meta.dirname, '../docs/routes.md');

const callers: Readonly<Record<Authorisation['kind'], string>> = {
  public: 'anybody',
  session: 'a signed-in person',
  capability: 'a member',
  superadmin: 'a superadmin',
  nodeCallback: 'the node, by its callback token',
  workspaceCallback: 'the workspace, by its callback token',
  agentCallback: 'the workspace of the session, by its callback token',
  anyCallback: 'a node or a workspace, by its callback token',
  mcp: 'an agent, by its MCP token',
  own: 'the holder of a proof that the handler checks',
};

function caller({ auth }: Route): string {
  if (auth.kind === 'session' && auth.owns) return `the owner of the ${auth.owns}`;
  if (auth.kind !== 'capability') return callers[auth.kind];
  return `a member with \`${auth.capability}\`${auth.evenDetached ? ', also in a detached project' : ''}`;
}

const areas = Map.groupBy(routes, ({ file }) => file.slice(0, file.indexOf('/')));
const row = (route: Route) =>
  `| \`${route.method} ${route.path}\` | ${caller(route)} | ${route.limit ? `\`${route.limit}\`` : ''} | ${route.grants.map((grant) => `\`${grant}\``).join(' ')} | [${route.file}](../lambdas/http/${route.file}.ts) |`;
const section = ([area, rows]: readonly [string, readonly Route[]]) =>
  `## ${area}\n\n| Route | Caller | Limit | Grants of the function | File |\n|---|---|---|---|---|\n${rows.map(row).join('\n')}\n`;

const text = `# HTTP routes

\`npm run generate\` writes this page from the rows in \`lambdas/http/*/routes.ts\`; \`npm run check\` fails when it is stale.
[limits.md](limits.md) gives the numbers of each limit.

${[...areas].map(section).join('\n')}`;

if (!process.argv.includes('--check')) {
  writeFileSync(page, text);
} else if (readFileSync(page, 'utf8') !== text) {
  console.error('docs/routes.md is stale. Run: npm run generate');
  process.exit(1);
}
