import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WorkspaceCommands } from '../../../agent/src/files/workspace-commands.js';
import { startLocally } from '../../../agent/src/workspaces/standalone-runner.js';
import type { Workspace } from '../../../agent/src/workspaces/workspace.js';

/** A folder that stands for a machine: its workspace, its home, and how programs run there. */
export class LocalWorkspace {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'snapshot-')));
  readonly root = join(this.folder, 'work');
  readonly home = join(this.folder, 'home');
  readonly workDir = join(this.root, 'repo');
  // Snapshots look at nothing but the id and the branch.
  readonly workspace = { workspaceId: '01K0000000000000000000000W', settings: { branch: null } } as Workspace;
  readonly commands: WorkspaceCommands;

  constructor() {
    mkdirSync(this.root);
    mkdirSync(this.home);
    this.commands = new WorkspaceCommands({
      place: () => ({ root: this.root, workDir: this.workDir }),
      run: async (_, { argv, ...command }) => {
        // The origin of these tests is a folder.
        const program = ['env', 'GIT_ALLOW_PROTOCOL=file', ...argv];
        return startLocally({ ...command, argv: program }, this.environment);
      },
    });
  }

  get environment(): Record<string, string> {
    return {
      PATH: process.env.PATH ?? '',
      HOME: this.home,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_AUTHOR_NAME: 'a',
      GIT_AUTHOR_EMAIL: 'a@example.com',
      GIT_COMMITTER_NAME: 'a',
      GIT_COMMITTER_EMAIL: 'a@example.com',
      GIT_ALLOW_PROTOCOL: 'file',
    };
  }

  /**
   * Runs a script in the repository, as a person would; a failing git merge is no error of the
   * script's.
   */
  sh(script: string, cwd = this.workDir): string {
    return execFileSync('sh', ['-c', script], {
      cwd,
      env: this.environment,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  clone(origin: string, ...options: string[]): void {
    execFileSync(
      'git',
      ['clone', '-q', '--recurse-submodules', ...options, `file://${origin}`, this.workDir],
      {
        env: this.environment,
        stdio: 'pipe',
      },
    );
  }
}
