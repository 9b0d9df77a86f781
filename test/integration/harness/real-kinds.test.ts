import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig, statePaths } from '../../../agent/src/config/config.js';
import { Files } from '../../../agent/src/files/files.js';
import { WorkspaceCommands } from '../../../agent/src/files/workspace-commands.js';
import { CredentialServer } from '../../../agent/src/git/credential-server.js';
import { AcpConnection } from '../../../agent/src/harness/acp/acp-connection.js';
import { SessionUpdates } from '../../../agent/src/harness/acp/session-updates.js';
import { WorkspaceTexts } from '../../../agent/src/harness/acp/workspace-texts.js';
import { endProcess } from '../../../agent/src/harness/end-process.js';
import { HarnessError } from '../../../agent/src/harness/harness.js';
import { harnessKinds } from '../../../agent/src/harness/harness-kinds.js';
import { Installer } from '../../../agent/src/harness/installer.js';
import { LocalLauncher } from '../../../agent/src/harness/local-launcher.js';
import { Log } from '../../../agent/src/shared/log.js';
import { StandaloneRunner } from '../../../agent/src/workspaces/standalone-runner.js';
import { WorkspaceSources } from '../../../agent/src/workspaces/workspace-sources.js';
import { FakeControlPlane, nodeId } from '../agent/fake-control-plane.js';
import { noSettings, ReceivedUpdates, workspaceOf } from './harness-fixture.js';

/** Kept between runs: a folder a version of a kind, as they are installed at the same time. */
const cache = fileURLToPath(new URL('../../../.cache/harnesses', import.meta.url));
const kinds = ['claude-code', 'openai-codex', 'google-gemini', 'opencode'] as const;
const minutes = 60_000;

let fake: FakeControlPlane;
const folder = mkdtempSync(join(tmpdir(), 'real-kinds-'));
const path = process.env.PATH;

beforeAll(async () => {
  fake = await FakeControlPlane.start();
  // The Node of this run, which a workspace would not find among the packages of the project.
  const programs = join(folder, 'programs');
  mkdirSync(programs);
  symlinkSync(process.execPath, join(programs, 'node'));
  process.env.PATH = [programs, path].join(delimiter);
});

afterAll(async () => {
  process.env.PATH = path;
  await fake[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** What the agent has in the standalone role, with programs in the cache. */
async function parts(prefix: string) {
  const workspace = await workspaceOf(fake);
  const baseDir = join(folder, 'workspaces');
  const stateDir = join(folder, 'state');
  const log = new Log({ level: 'error', format: 'json' }, () => undefined);
  const git = new CredentialServer(() => Promise.reject(new Error('none')), log);
  const sources = new WorkspaceSources(statePaths(stateDir).run, git);
  const commands = new WorkspaceCommands(new StandaloneRunner(baseDir, sources));
  const { workDir } = commands.place(workspace);
  mkdirSync(workDir, { recursive: true });
  const home = join(baseDir, workspace.workspaceId, 'home');
  mkdirSync(home, { recursive: true });
  // Where packages come from is this machine's own affair.
  const settings = join(homedir(), '.npmrc');
  if (existsSync(settings)) copyFileSync(settings, join(home, '.npmrc'));
  const { NODE_EXTRA_CA_CERTS: certificates } = process.env;
  const more = [...(certificates ? [`cafile=${certificates}`] : []), 'fetch-retries=0'];
  appendFileSync(join(home, '.npmrc'), `\n${more.join('\n')}\n`);
  const { files: limits } = readConfig({ NODE_ID: nodeId, CONTROL_PLANE_URL: fake.url });
  return {
    workspace,
    workDir,
    log,
    texts: new WorkspaceTexts(workspace, commands, new Files(commands, limits)),
    installer: new Installer(commands, { timeoutMs: 3 * minutes, prefix, isShared: true, node: null }),
    launcher: new LocalLauncher({ baseDir, stderrBytes: 4_096, binFolders: [join(prefix, 'bin')] }, sources),
  };
}

function versionOf(type: (typeof kinds)[number]): string | undefined {
  const [install] = harnessKinds[type].installs;
  return install?.by === 'npm' ? install.packages[0]?.split('@').at(-1) : undefined;
}

function isOutOfReach(error: unknown): boolean {
  const said = error instanceof HarnessError ? `${error.message} ${error.detail.stderr ?? ''}` : '';
  return /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH|network|self-signed/i.test(said);
}

describe('a real harness', () => {
  it.concurrent.each(kinds)(
    '%s is installed, starts, and answers as its record says',
    { timeout: 4 * minutes },
    async (type) => {
      const kind = harnessKinds[type];
      const { workspace, workDir, log, texts, installer, launcher } = await parts(
        join(cache, `${type}-${versionOf(type)}`),
      );
      const signal = new AbortController().signal;
      try {
        await installer.ensure({ workspace, kind, onInstall: () => undefined, signal });
      } catch (error) {
        if (!isOutOfReach(error)) throw error;
        console.warn(`${kind.name} is not tested: the registry of packages cannot be reached`);
        return;
      }
      const environment = { ...kind.environment(noSettings, 'api-key'), [kind.apiKeyVariable]: 'no-key' };
      const process = await launcher.launch({
        workspace,
        sessionId: type,
        argv: kind.command,
        workDir,
        environment,
      });
      const listener = new ReceivedUpdates();
      const ms = 60_000;
      const connection = new AcpConnection({
        stdin: process.stdin,
        stdout: process.stdout,
        listener,
        permissionMode: null,
        updates: new SessionUpdates(listener, log),
        texts,
        timeouts: {
          initializeMs: ms,
          newSessionMs: ms,
          loadSessionMs: ms,
          settingsMs: ms,
          serializeMs: 5_000,
        },
      });

      const answer = await connection.initialize();
      await endProcess(process);

      expect(answer.protocolVersion).toBe(1);
      expect(answer.agentCapabilities).toMatchObject({ loadSession: true, mcpCapabilities: { http: true } });
      expect(answer.agentInfo?.version).toBe(versionOf(type));
    },
  );
});
