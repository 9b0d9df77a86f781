import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Writes the OpenAPI documents where the linter finds them, and lints them. No cloud is needed for
 * it.
 */
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const documents = [
  ['.cache/openapi.json', 'scripts/openapi.ts'],
  ['.cache/openapi-callbacks.json', 'scripts/openapi.ts', '--callbacks'],
  ['.cache/openapi-agent.json', 'scripts/openapi-agent.ts'],
] as const;

for (const [name, ...script] of documents) {
  const made = spawnSync(process.execPath, ['--import', 'tsx', ...script], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (made.status !== 0) process.exit(1);
  const file = join(root, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, made.stdout);
}

const files = documents.map(([name]) => join(root, name));
const linted = spawnSync(join(root, 'node_modules/.bin/redocly'), ['lint', ...files], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
});
process.exitCode = linted.status ?? 1;
