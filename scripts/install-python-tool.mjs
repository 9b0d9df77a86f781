// Installs a tool into the private Python environment of the emulator, when it is not there.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findPython } from './requirements.mjs';
import { leave, Stop, step } from './step.mjs';

/** Pinned by hash, with all that they need. */
export const cfnLint = { name: 'cfn-lint', requirements: 'scripts/lint-requirements.txt' };
export const schemathesis = {
  name: 'schemathesis',
  requirements: 'test/schemathesis/requirements.txt',
  /** An older Python goes without it: the tests that need it are skipped. */
  python: '(3, 11)',
};

function run(name, command, args) {
  const { status, error, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (status === 0) return;
  const detail = (error?.message ?? `${stdout}${stderr}`).trim().split('\n').slice(-12).join('\n');
  throw new Stop(
    `${name} could not be installed. Check that the Python package index can be reached, and try again.\n\n${detail}`,
  );
}

function install({ name, python: oldest }, folder, requirements) {
  const python = join(folder, 'bin/python');
  // With AWS_ENDPOINT_URL the emulator's environment is not made.
  if (!existsSync(python)) run(name, findPython(), ['-m', 'venv', folder]);
  const check = `import sys; sys.exit(sys.version_info < ${oldest})`;
  if (oldest && spawnSync(python, ['-c', check]).status !== 0) return;
  run(name, python, ['-m', 'pip', 'install', '--quiet', '--require-hashes', '-r', requirements]);
}

export async function installPythonToolOrLeave(root, tool) {
  const requirements = join(root, tool.requirements);
  const hash = createHash('sha256').update(readFileSync(requirements)).digest('hex');
  const folder = join(root, '.berth/venv');
  const stamp = join(folder, `.${tool.name}-installed`);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
  try {
    await step(`Installing ${tool.name}`, () => install(tool, folder, requirements));
    writeFileSync(stamp, hash);
  } catch (error) {
    leave(error);
  }
}
