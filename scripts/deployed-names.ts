import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brokenNames, type DeployedNames, deployedNames } from '../infra/deployed-names.js';
import { synthesise } from '../infra/testing.js';

/**
 * Writes infra/deployed-names.json. It refuses to drop a name that deployments in use depend on.
 * Remove such a line by hand, in the release after the one that stopped its use.
 */
const file = join(import.meta.dirname, '../infra/deployed-names.json');
const current = deployedNames(synthesise());
const stored: DeployedNames = existsSync(file)
  ? JSON.parse(readFileSync(file, 'utf8'))
  : { exports: [], routes: {} };
const broken = brokenNames(stored, current);
const text = `${JSON.stringify(current, null, 2)}\n`;

if (broken.length > 0) {
  console.error(broken.join('\n'));
  process.exitCode = 1;
} else if (!process.argv.includes('--check')) writeFileSync(file, text);
else if (readFileSync(file, 'utf8') !== text) {
  console.error('infra/deployed-names.json is stale');
  process.exitCode = 1;
}
