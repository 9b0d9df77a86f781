// Installs what is missing: the packages of package-lock.json, and the emulator into a private
// virtual environment. A stamp holds the hash of the file that pins each: a second run does
// nothing.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkRequirements, findPython } from './requirements.mjs';
import { root } from './run.mjs';
import { leave, Stop, step } from './step.mjs';

const hashOf = (file) => createHash('sha256').update(readFileSync(file)).digest('hex');
const isStamped = (stamp, hash) => existsSync(stamp) && readFileSync(stamp, 'utf8') === hash;

function run(command, args, { cwd, failure, env = process.env }) {
  const { status, error, stdout, stderr } = spawnSync(command, args, { cwd, env, encoding: 'utf8' });
  if (status === 0) return;
  const detail = (error?.message ?? `${stdout}${stderr}`).trim().split('\n').slice(-12).join('\n');
  throw new Stop(`${failure}\n\n${detail}`);
}

async function installPackages(root) {
  const hash = hashOf(join(root, 'package-lock.json'));
  const stamp = join(root, 'node_modules/.berth-installed');
  if (isStamped(stamp, hash)) return;
  // A manual `npm ci` is enough when npm finds no package missing.
  const complete =
    existsSync(join(root, 'node_modules')) &&
    spawnSync('npm', ['ls', '--depth=0'], { cwd: root }).status === 0;
  if (!complete) {
    await step('Installing the packages (npm ci)', () =>
      run('npm', ['ci', '--no-audit', '--no-fund'], {
        cwd: root,
        failure: '`npm ci` failed. Check that the npm registry can be reached, and try again.',
      }),
    );
  }
  writeFileSync(stamp, hash);
}

/** The state holds keys, tokens and session cookies: only this user may enter it. */
function makeStateFolder(root) {
  mkdirSync(join(root, '.berth'), { recursive: true });
  chmodSync(join(root, '.berth'), 0o700);
}

async function installEmulator(root, python) {
  const requirements = join(root, 'local/requirements.txt');
  const hash = hashOf(requirements);
  const folder = join(root, '.berth/venv');
  const stamp = join(folder, '.berth-installed');
  const works = () =>
    spawnSync(join(folder, 'bin/python'), ['-c', 'import ministack'], { encoding: 'utf8' }).status === 0;
  if (isStamped(stamp, hash) && works()) return;
  await step('Installing the AWS emulator (a private Python environment)', () => {
    rmSync(folder, { recursive: true, force: true });
    run(python, ['-m', 'venv', folder], {
      cwd: root,
      failure:
        'Python could not create a virtual environment. On Debian and Ubuntu: `apt-get install python3-venv`.',
    });
    run(
      join(folder, 'bin/python'),
      [
        '-m',
        'pip',
        'install',
        '--quiet',
        '--disable-pip-version-check',
        '--require-hashes',
        '-r',
        requirements,
      ],
      {
        cwd: root,
        failure:
          'The AWS emulator could not be installed. Check that the Python package index can be reached, and try again.',
      },
    );
    writeFileSync(stamp, hash);
  });
}

/** Installs the tools of the commands for AWS: nothing of the laptop cloud. */
export async function installTools(root) {
  checkRequirements();
  await installPackages(root);
}

/** Installs everything that the checkout needs and does not have. */
export async function install(root) {
  checkRequirements();
  // AWS_ENDPOINT_URL names an emulator that runs elsewhere, so this one and Python are not needed.
  const python = process.env.AWS_ENDPOINT_URL ? undefined : findPython();
  await installPackages(root);
  makeStateFolder(root);
  if (python) await installEmulator(root, python);
}

/** Installs, and ends the process with one sentence when it cannot. */
export async function installOrLeave(root) {
  try {
    await install(root);
  } catch (error) {
    leave(error);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await installOrLeave(root);
