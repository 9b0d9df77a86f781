import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { WorkspaceCommands } from '../../../agent/src/files/workspace-commands.js';
import { capabilities } from '../../../agent/src/workspaces/container/container-settings.js';
import { startLocally } from '../../../agent/src/workspaces/standalone-runner.js';
import { LocalWorkspace } from '../../integration/snapshots/local-workspace.js';
import { HostileContainer } from '../streams/hostile-container.js';

const isRoot = process.getuid?.() === 0;

/** A workspace to restore into, beside a folder that its user may write to. */
export interface RestoreTarget extends AsyncDisposable {
  readonly machine: Pick<LocalWorkspace, 'commands' | 'folder' | 'workspace'>;
  readonly home: string;
  readonly root: string;
  /** Is `../outside` in the home, and `../../outside` in the repository. */
  readonly outside: string;
  /** Folders around the trees of the workspace, as `find` takes them. */
  readonly around: string;
  sh(script: string): string;
}

/** Processes of a user of the machine without further rights. */
export function standaloneTarget(): RestoreTarget {
  const local = new LocalWorkspace();
  const { folder, home, root, workDir, workspace, environment } = local;
  const asUser = isRoot ? ['setpriv', '--bounding-set=-all', '--inh-caps=-all'] : [];
  const commands = new WorkspaceCommands({
    place: () => ({ root, workDir }),
    // The origin is a folder.
    run: async (_, { argv, ...command }) =>
      startLocally({ ...command, argv: [...asUser, 'env', 'GIT_ALLOW_PROTOCOL=file', ...argv] }, environment),
  });
  mkdirSync(join(folder, 'state'));
  return {
    ...{ machine: { commands, folder, workspace }, home, root },
    outside: join(folder, 'outside'),
    around: `${folder} -path ${root} -prune -o -path ${home} -prune -o`,
    sh: (script) => {
      const [file = 'sh', ...args] = [...asUser, 'sh', '-c', script];
      return execFileSync(file, args, { cwd: folder, env: environment, encoding: 'utf8', stdio: 'pipe' });
    },
    [Symbol.asyncDispose]: async () => void execFileSync('rm', ['-rf', folder]),
  };
}

/** Root of a container with the capabilities of a workspace. */
export function containerTarget(): RestoreTarget {
  const home = '/home/own';
  const added = capabilities.map((name) => `--cap-add=${name}`);
  const container = HostileContainer.start('--cap-drop=ALL', ...added, '-e', `HOME=${home}`);
  mkdirSync(join(container.folder, 'state'));
  return {
    ...{ machine: container, home, root: '/workspaces', outside: '/home/outside' },
    around: `/etc /usr/local /home -path ${home} -prune -o`,
    sh: (script) => container.sh(script),
    [Symbol.asyncDispose]: () => container[Symbol.asyncDispose](),
  };
}

const commit = 'git -c user.name=a -c user.email=a@example.com commit -qm';

/**
 * Makes the trees again, each with a new clone, and the folder outside. The repository chooses a
 * filter that nobody has defined. Returns its commits, newest first.
 */
export function prepare({ home, root, outside, sh }: RestoreTarget): readonly string[] {
  sh(`rm -rf ${home} ${root}/* ${outside} && mkdir -p ${home} ${root}/repo ${outside}/inner && echo canary >${outside}/canary
    chmod 666 ${outside}/canary && cd ${root}/repo && git init -q -b main && echo '* filter=evil' >.gitattributes
    echo one >file && git add . && ${commit} one && echo two >file && git add . && ${commit} two
    git clone -q --bare . ${outside}/origin.git && git remote add origin file://${outside}/origin.git
    git update-ref refs/remotes/origin/main HEAD`);
  return sh(`cd ${root}/repo && git log --format=%H`).trim().split('\n');
}

/** Everything around the trees of the workspace: names, types, permissions, owners and links. */
export const surroundings = ({ around, outside, sh }: RestoreTarget): string =>
  sh(`find ${around} -printf '%p %y %m %U %n %s %l\\n' | sort; cat ${outside}/canary`);

/** Devices in the trees, and programs with the rights of another user. */
export const grants = ({ home, root, sh }: RestoreTarget): string =>
  sh(`find ${home} ${root} -type b -o -type c -o -perm /6000 ! -user "$(id -u)"`);
