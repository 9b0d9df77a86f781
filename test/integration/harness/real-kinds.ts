import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readConfig, statePaths } from '../../../agent/src/config/config.js';
import { Files } from '../../../agent/src/files/files.js';
import { WorkspaceCommands } from '../../../agent/src/files/workspace-commands.js';
import { CredentialServer } from '../../../agent/src/git/credential-server.js';
import { WorkspaceTexts } from '../../../agent/src/harness/acp/workspace-texts.js';
import { HarnessError } from '../../../agent/src/harness/harness.js';
import { harnessKinds } from '../../../agent/src/harness/harness-kinds.js';
import { Installer } from '../../../agent/src/harness/installer.js';
import { LocalLauncher } from '../../../agent/src/harness/local-launcher.js';
import { Log } from '../../../agent/src/shared/log.js';
import { StandaloneRunner } from '../../../agent/src/workspaces/standalone-runner.js';
import { WorkspaceSources } from '../../../agent/src/workspaces/workspace-sources.js';
import { inOneProcess } from '../../support/one-process.js';
import { type FakeControlPlane, nodeId } from '../agent/fake-control-plane.js';
import { workspaceOf } from './harness-fixture.js';

/** Kept between runs: a folder a version of a kind, as they are installed at the same time. */
const cache = fileURLToPath(new URL('../../../.cache/harnesses', import.meta.url));
export const realKinds = [
  'claude-code',
  'openai-codex',
  'google-gemini',
  'mistral-vibe',
  'opencode',
  'amp',
] as const;
type RealKind = (typeof realKinds)[number];
const installTimeoutMs = 180_000;

/** Installs coding agents from npm and PyPI in the standalone role, with programs in the cache. */
export class RealKinds implements Disposable {
  private readonly folder = mkdtempSync(join(tmpdir(), 'real-kinds-'));
  private readonly path = process.env.PATH;

  constructor(private readonly fake: FakeControlPlane) {
    // The Node of this run is among the packages of the project, where no workspace finds it.
    const programs = join(this.folder, 'programs');
    mkdirSync(programs);
    symlinkSync(process.execPath, join(programs, 'node'));
    process.env.PATH = [programs, this.path].join(delimiter);
  }

  [Symbol.dispose](): void {
    process.env.PATH = this.path;
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Null when the registry of packages cannot be reached. */
  async install(type: RealKind) {
    const kind = harnessKinds[type];
    if (kind.installs.some(({ by }) => by === 'uv') && !hasUv()) {
      // Otherwise the installer adds it to the Python of this machine.
      console.warn(`${kind.name} is not tested: it needs uv on this machine`);
      return null;
    }
    const prefix = join(cache, `${type}-${versionOf(type)}`);
    const { installer, ...parts } = await this.parts(prefix);
    const { workspace } = parts;
    try {
      const signal = new AbortController().signal;
      // Several test files need the same kind, and the installer's lock is of its process.
      await inOneProcess(prefix, () =>
        installer.ensure({ workspace, kind, onInstall: () => undefined, signal }),
      );
    } catch (error) {
      if (!isOutOfReach(error)) throw error;
      console.warn(`${kind.name} is not tested: the registry of packages cannot be reached`);
      return null;
    }
    const [program, ...args] = kind.command;
    return { ...parts, kind, command: [join(prefix, 'bin', program), ...args] };
  }

  private async parts(prefix: string) {
    const workspace = await workspaceOf(this.fake);
    const baseDir = join(this.folder, 'workspaces');
    const stateDir = join(this.folder, 'state');
    const log = new Log({ level: 'error', format: 'json' }, () => undefined);
    const git = new CredentialServer(() => Promise.reject(new Error('none')), log);
    const sources = new WorkspaceSources(statePaths(stateDir).run, git);
    const commands = new WorkspaceCommands(new StandaloneRunner(baseDir, sources));
    const { workDir } = commands.place(workspace);
    mkdirSync(workDir, { recursive: true });
    const home = join(baseDir, workspace.workspaceId, 'home');
    mkdirSync(home, { recursive: true });
    useRegistry(home);
    const { files: limits } = readConfig({ NODE_ID: nodeId, CONTROL_PLANE_URL: this.fake.url });
    const binFolders = [join(prefix, 'bin')];
    return {
      workspace,
      workDir,
      log,
      texts: new WorkspaceTexts(workspace, commands, new Files(commands, limits)),
      installer: new Installer(commands, {
        timeoutMs: installTimeoutMs,
        prefix,
        isShared: true,
        node: null,
        store: null,
      }),
      launcher: new LocalLauncher({ baseDir, stderrBytes: 4_096, binFolders }, sources),
    };
  }
}

/** Packages come from where this machine gets them. */
function useRegistry(home: string): void {
  const settings = join(homedir(), '.npmrc');
  if (existsSync(settings)) copyFileSync(settings, join(home, '.npmrc'));
  const { NODE_EXTRA_CA_CERTS: certificates } = process.env;
  const more = [...(certificates ? [`cafile=${certificates}`] : []), 'fetch-retries=0'];
  const uvSettings = join(home, '.config/uv');
  mkdirSync(uvSettings, { recursive: true });
  writeFileSync(join(uvSettings, 'uv.toml'), 'system-certs = true\n');
  appendFileSync(join(home, '.npmrc'), `\n${more.join('\n')}\n`);
}

export function versionOf(type: RealKind): string | undefined {
  const install = harnessKinds[type].installs.at(-1);
  return (install?.by === 'npm' ? install.packages[0] : install?.tool)?.split(/@|==/).at(-1);
}

function hasUv(): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, 'uv')));
}

function isOutOfReach(error: unknown): boolean {
  const text = error instanceof HarnessError ? `${error.message} ${error.detail.stderr ?? ''}` : '';
  return /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH|network|dns error|self-signed/i.test(text);
}
