// The programs that the machine must have: Node >= 20, npm >= 10, Python >= 3.10, git.
import { spawnSync } from 'node:child_process';
import { Stop } from './step.mjs';

const atLeast = (version, [major, minor]) => {
  const [a = 0, b = 0] = version.split('.').map(Number);
  return a > major || (a === major && b >= minor);
};

function versionOf(command, args = ['--version']) {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) return undefined;
  return /(\d+\.\d+(\.\d+)?)/.exec(`${stdout} ${stderr}`)?.[1];
}

/** The first Python that is new enough: a machine may have an old `python3` beside a newer one. */
export function findPython() {
  const names = [
    process.env.BERTH_PYTHON,
    'python3',
    'python3.14',
    'python3.13',
    'python3.12',
    'python3.11',
    'python3.10',
    'python',
  ];
  for (const name of names.filter(Boolean)) {
    const version = versionOf(name);
    if (version && atLeast(version, [3, 10])) return name;
  }
  throw new Stop(
    'Berth needs Python 3.10 or later for its AWS emulator, and found none. ' +
      'Install it (Debian, Ubuntu: `apt-get install python3 python3-venv`; macOS: `brew install python`), or set its path: `BERTH_PYTHON=/path/to/python3 npm start`.',
  );
}

export function checkRequirements() {
  if (!atLeast(process.versions.node, [20, 0])) {
    throw new Stop(
      `Berth needs Node 20 or later; this is ${process.versions.node}. Install a newer version from nodejs.org and try again.`,
    );
  }
  const npm = versionOf('npm');
  if (!npm || !atLeast(npm, [10, 0])) {
    throw new Stop(
      `Berth needs npm 10 or later, and found ${npm ?? 'none'}. Install it with: npm install --global npm@10`,
    );
  }
  if (!versionOf('git')) {
    throw new Stop(
      'Berth needs git, and found none. Install it (Debian, Ubuntu: `apt-get install git`; macOS: `xcode-select --install`).',
    );
  }
}
