import { randomUUID } from 'node:crypto';
import { existsSync, lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { WorkspaceCommands } from '../../../agent/src/files/workspace-commands.js';
import { ContainerRunner } from '../../../agent/src/workspaces/container/container-runner.js';
import { DockerEngine } from '../../../agent/src/workspaces/container/docker-engine.js';
import type { Workspace } from '../../../agent/src/workspaces/workspace.js';
import { baseImage, docker } from '../../integration/agent/docker-engine.js';
import { until } from '../../support/until.js';

/** Never ends. Its lines in the file count the starts. */
export const endlessWriter = (prints = 'cat /dev/zero'): string =>
  `echo started >>/tmp/starts; exec ${prints}`;

/** A workspace whose root replaced the programs that the agent runs in it. */
export class HostileContainer implements AsyncDisposable {
  readonly name = `svc-hostile-${randomUUID()}`;
  readonly folder = mkdtempSync(join(tmpdir(), 'hostile-'));
  readonly workspace = {
    workspaceId: '01K0000000000000000000000W',
    settings: { repository: 'octo/repo', cloneUrl: null, branch: null },
  } as Workspace;
  readonly engine = new DockerEngine(new Docker());
  readonly commands = new WorkspaceCommands(new ContainerRunner(this.engine, () => this.name));

  private constructor(options: readonly string[]) {
    const limited = ['--init', '--name', this.name, '--memory', '512m', ...options];
    docker('run', '-d', ...limited, baseImage, 'sleep', 'infinity');
  }

  static start(...options: readonly string[]): HostileContainer {
    const container = new HostileContainer(options);
    container.sh(
      'mkdir -p /workspaces/repo && cd /workspaces/repo && git init -q -b main && echo one >file && git add . &&' +
        ' git -c user.name=a -c user.email=a@example.com commit -qm one && echo two >file && echo new >new',
    );
    return container;
  }

  sh(script: string): string {
    return docker('exec', this.name, 'sh', '-c', script);
  }

  /**
   * The program does this where its arguments match. The tools with which the agent would end it
   * are gone too.
   */
  replace(program: string, action = endlessWriter(), when = '*'): void {
    const path = `/usr/bin/${program}`;
    const text = `#!/bin/sh\ncase "$*" in ${when}) ${action} ;; *) exec ${path}.own "$@" ;; esac\n`;
    const quoted = text.replaceAll("'", "'\\''");
    this.sh(`mv ${path} ${path}.own; printf '%s' '${quoted}' >${path}; chmod 755 ${path}`);
    this.sh(
      'cp /bin/true /usr/bin/nothing && for tool in grep tr; do mv /usr/bin/nothing /usr/bin/$tool; cp /usr/bin/$tool /usr/bin/nothing; done',
    );
  }

  /** How often replaced programs began. */
  get starts(): number {
    return this.sh('cat /tmp/starts').split('\n').length;
  }

  /** Until nothing but the first process runs, as the engine lists them from outside. */
  async untilQuiet(): Promise<void> {
    await until('the end of all programs in the container', () => {
      const programs = docker('top', this.name, '-eo', 'pid,args').split('\n').slice(1);
      const others = programs.filter((line) => !/ sleep infinity| docker-init /.test(` ${line} `));
      if (others.length > 0) throw new Error(others.join('; '));
      return true;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    docker('rm', '-f', '-v', this.name);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Watches a folder of the node while something is written to it. */
export class FolderWatch implements Disposable {
  largestBytes = 0;
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly folder: string) {
    this.timer = setInterval(() => this.look(), 50);
  }

  look(): void {
    const names = existsSync(this.folder) ? readdirSync(this.folder, { recursive: true }).map(String) : [];
    const found = names.map((name) => lstatSync(join(this.folder, name), { throwIfNoEntry: false }));
    const sizes = found.map((one) => (one?.isFile() ? one.blocks * 512 : 0));
    this.largestBytes = Math.max(
      this.largestBytes,
      sizes.reduce((sum, size) => sum + size, 0),
    );
  }

  [Symbol.dispose](): void {
    clearInterval(this.timer);
  }
}
