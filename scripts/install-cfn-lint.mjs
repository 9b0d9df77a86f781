// Installs cfn-lint into the private Python environment of the emulator, when it is not there.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findPython } from './requirements.mjs';
import { leave, Stop, step } from './step.mjs';

function run(command, args) {
  const { status, error, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (status === 0) return;
  const detail = (error?.message ?? `${stdout}${stderr}`).trim().split('\n').slice(-12).join('\n');
  throw new Stop(
    `cfn-lint could not be installed. Check that the Python package index can be reached, and try again.\n\n${detail}`,
  );
}

function install(folder, requirements) {
  const python = join(folder, 'bin/python');
  // With AWS_ENDPOINT_URL the emulator's environment is not made.
  if (!existsSync(python)) run(findPython(), ['-m', 'venv', folder]);
  run(python, ['-m', 'pip', 'install', '--quiet', '--require-hashes', '-r', requirements]);
}

export async function installCfnLintOrLeave(root) {
  const requirements = join(root, 'scripts/lint-requirements.txt');
  const hash = createHash('sha256').update(readFileSync(requirements)).digest('hex');
  const folder = join(root, '.berth/venv');
  const stamp = join(folder, '.cfn-lint-installed');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
  try {
    await step('Installing cfn-lint', () => install(folder, requirements));
    writeFileSync(stamp, hash);
  } catch (error) {
    leave(error);
  }
}
