import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashSources } from '../local/deployment/source-hash.js';
import { ContentStore } from './builds/content-store.js';
import { root } from './builds/parts.js';
import { keyOfTemplates, templates } from './builds/templates.js';
import { plainStateMachines, type Template } from './plain-state-machines.js';

/**
 * Checks the synthesized templates with cfn-lint, and the definitions of the state machines by its
 * schema of the Amazon States Language, unless the same templates passed before.
 */
const region = 'us-east-1';
const synthesized = await templates();
const names = readdirSync(synthesized).filter((name) => name.endsWith('.template.json'));
if (names.length === 0) throw new Error(`${synthesized} has no templates.`);
try {
  await new ContentStore(join(root, '.cache/builds/linted')).keep(keyOfLint, lint);
  console.log(`${names.length} templates and their state machines: cfn-lint finds nothing.`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

function keyOfLint(): string {
  const linter = ['lint-requirements.txt', 'lint-templates.ts', 'plain-state-machines.ts'];
  const sources = linter.map((name) => `scripts/${name}`);
  return hashSources(root, sources, [keyOfTemplates()]);
}

/** The folder keeps the definitions as they were checked. */
async function lint(folder: string): Promise<void> {
  const machines = names.flatMap((name) => writePlain(name, folder));
  if (machines.length === 0) throw new Error('The templates contain no state machine.');
  const { status, error } = spawnSync(
    join(root, '.berth/venv/bin/cfn-lint'),
    // CDK writes dependencies that a reference already implies.
    [
      '--ignore-checks=W3005',
      `--regions=${region}`,
      '--',
      ...names.map((name) => join(synthesized, name)),
      ...machines,
    ],
    { stdio: 'inherit' },
  );
  if (error) throw error;
  if (status !== 0) throw new Error('The templates did not pass cfn-lint.');
}

function writePlain(name: string, folder: string): readonly string[] {
  const template = JSON.parse(readFileSync(join(synthesized, name), 'utf8')) as Template;
  const plain = plainStateMachines(template);
  if (Object.keys(plain.Resources).length === 0) return [];
  const file = join(folder, name);
  writeFileSync(file, JSON.stringify(plain));
  return [file];
}
