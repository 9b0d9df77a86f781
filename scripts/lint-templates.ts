import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { plainStateMachines, type Template } from './plain-state-machines.js';

/**
 * Checks the synthesized templates with cfn-lint, and the definitions of the state machines by its
 * schema of the Amazon States Language. It runs after the synthesis of `npm run check`.
 */
const root = join(import.meta.dirname, '..');
const synthesized = join(root, '.cache/cdk.out');
const region = 'us-east-1';

const templates = readdirSync(synthesized).filter((name) => name.endsWith('.template.json'));
if (templates.length === 0) throw new Error(`${synthesized} has no templates. Run npm run check.`);

const folder = join(root, '.cache/lint');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const machines = templates.flatMap((name) => {
  const template = JSON.parse(readFileSync(join(synthesized, name), 'utf8')) as Template;
  const plain = plainStateMachines(template);
  if (Object.keys(plain.Resources).length === 0) return [];
  const file = join(folder, name);
  writeFileSync(file, JSON.stringify(plain));
  return [file];
});
if (machines.length === 0) throw new Error('The templates contain no state machine.');

const { status, error } = spawnSync(
  join(root, '.berth/venv/bin/cfn-lint'),
  // CDK writes dependencies that a reference already implies.
  [
    '--ignore-checks=W3005',
    `--regions=${region}`,
    '--',
    ...templates.map((name) => join(synthesized, name)),
    ...machines,
  ],
  { stdio: 'inherit' },
);
if (error) throw error;
if (status === 0)
  console.log(`${templates.length} templates and their state machines: cfn-lint finds nothing.`);
process.exitCode = status ?? 1;
