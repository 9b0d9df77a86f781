import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {
  ContentBlock,
  CreateElicitationResponse,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionNotification,
} from '@agentclientprotocol/sdk';
import { ulid } from 'ulid';
import { composeHarnesses } from '../../../agent/src/composition/harnesses.js';
import { readConfig, statePaths } from '../../../agent/src/config/config.js';
import { ControlPlane } from '../../../agent/src/control-plane/control-plane.js';
import type { Notice } from '../../../agent/src/conversation/notice.js';
import { Files } from '../../../agent/src/files/files.js';
import { RuntimeFiles } from '../../../agent/src/files/runtime-files.js';
import { WorkspaceCommands } from '../../../agent/src/files/workspace-commands.js';
import { CredentialServer } from '../../../agent/src/git/credential-server.js';
import { decidePermission } from '../../../agent/src/harness/acp/permission-policy.js';
import type { Harnesses, HarnessListener, HarnessRequest } from '../../../agent/src/harness/harness.js';
import { choose } from '../../../agent/src/interactions/acp-permissions.js';
import { OomKills } from '../../../agent/src/pressure/oom-kills.js';
import { Log } from '../../../agent/src/shared/log.js';
import { openDatabase } from '../../../agent/src/store/database.js';
import { KeptAnswers } from '../../../agent/src/store/kept-answers.js';
import { RuntimeFileStore } from '../../../agent/src/store/runtime-file-store.js';
import type { BootLog } from '../../../agent/src/workspaces/boot-log.js';
import { ContainerRunner } from '../../../agent/src/workspaces/container/container-runner.js';
import type { DockerEngine } from '../../../agent/src/workspaces/container/docker-engine.js';
import { platformVariables } from '../../../agent/src/workspaces/platform-variables.js';
import { StandaloneRunner } from '../../../agent/src/workspaces/standalone-runner.js';
import type { Workspace } from '../../../agent/src/workspaces/workspace.js';
import { WorkspaceSources } from '../../../agent/src/workspaces/workspace-sources.js';
import { AcpHarness } from '../../support/acp-harness/acp-harness.js';
import { type FakeControlPlane, nodeId } from '../agent/fake-control-plane.js';

type Behaviour = Parameters<AcpHarness['behave']>[0];

export const noSettings = {
  model: null,
  permissionMode: null,
  effort: null,
  opencodeProvider: null,
  opencodeBaseUrl: null,
};

/** All that a listener received. */
export class ReceivedUpdates implements HarnessListener {
  readonly updates: SessionNotification[] = [];
  readonly statuses: string[] = [];
  readonly notices: Notice[] = [];
  readonly backgroundWork: number[] = [];

  get text(): string {
    return this.updates
      .map(({ update }) =>
        'content' in update && update.content && 'text' in update.content ? update.content.text : '',
      )
      .join('');
  }

  onUpdate(notification: SessionNotification): void | Promise<void> {
    this.updates.push(notification);
  }

  async onPermission(...[request, , permissionMode]: Parameters<HarnessListener['onPermission']>) {
    return decidePermission(request, permissionMode) ?? this.answer(request);
  }

  /** A person who allows everything. */
  answer: (request: RequestPermissionRequest) => RequestPermissionResponse = ({ options }) =>
    choose(options, ['allow_once']);

  async onElicitation(): Promise<CreateElicitationResponse> {
    return { action: 'cancel' };
  }

  onElicitationCompleted(): void {}

  onNotice(notice: Notice): void {
    this.notices.push(notice);
  }

  onBackgroundWork(count: number): void {
    this.backgroundWork.push(count);
  }

  onStatus(status: string): void {
    this.statuses.push(status);
  }
}

/** The `SVC_` variables of a coding agent that works for this. */
export const agentPlace = { projectId: 'project-1', chatSessionId: 'chat-1', taskId: 'task-1' };
const platformNames = ['API_URL', 'NODE_ID', 'WORKSPACE_ID', 'WORKSPACE_URL', 'REPOSITORY', 'BRANCH'];
export const platformPrompt = [...platformNames, 'PROJECT_ID', 'CHAT_SESSION_ID', 'TASK_ID']
  .map((name) => `[[env SVC_${name}]]`)
  .join('');

export function platformAnswer(url: string, workspaceId: string): string {
  return [
    `SVC_API_URL=${url}`,
    `SVC_NODE_ID=${nodeId}`,
    `SVC_WORKSPACE_ID=${workspaceId}`,
    `SVC_WORKSPACE_URL=${url}/workspaces/${workspaceId}`,
    'SVC_REPOSITORY=octo/full',
    'SVC_BRANCH=main',
    'SVC_PROJECT_ID=project-1',
    'SVC_CHAT_SESSION_ID=chat-1',
    'SVC_TASK_ID=task-1',
  ].join('');
}

export function promptOf(text: string): ContentBlock[] {
  return [{ type: 'text', text }];
}

/** The harness room as the agent composes it, around one workspace. */
export class StandaloneHarnesses {
  readonly logged: string[] = [];
  readonly bootLogged: Parameters<BootLog['add']>[1][] = [];

  /** Null: standalone. */
  protected readonly engine: DockerEngine | null = null;
  private harnesses: Harnesses | null = null;
  private readonly fake: FakeControlPlane;
  readonly workspace: Workspace;
  readonly folder: string;
  readonly acp: AcpHarness;
  private readonly environment: Readonly<Record<string, string>>;

  protected constructor(
    made: Pick<StandaloneHarnesses, 'workspace' | 'folder' | 'acp'>,
    fake: FakeControlPlane,
    environment: Readonly<Record<string, string>>,
  ) {
    this.fake = fake;
    this.environment = environment;
    this.workspace = made.workspace;
    this.folder = made.folder;
    this.acp = made.acp;
    mkdirSync(this.work, { recursive: true });
    mkdirSync(this.home, { recursive: true });
  }

  static async make(
    fake: FakeControlPlane,
    behaviour: Behaviour = {},
    environment: Readonly<Record<string, string>> = {},
  ): Promise<StandaloneHarnesses> {
    const folder = mkdtempSync(join(tmpdir(), 'harness-'));
    const acp = await AcpHarness.make(join(folder, 'acp'), behaviour);
    return new StandaloneHarnesses({ workspace: await workspaceOf(fake), folder, acp }, fake, environment);
  }

  get work(): string {
    return join(this.folder, 'workspaces', this.workspace.workspaceId, 'work/full');
  }

  get home(): string {
    return join(this.folder, 'workspaces', this.workspace.workspaceId, 'home');
  }

  request(overrides: Partial<HarnessRequest> = {}): HarnessRequest {
    return {
      workspace: this.workspace,
      sessionId: 'session-1',
      agentType: 'claude-code',
      workDir: null,
      settings: noSettings,
      mcpServers: [],
      session: { mode: 'new' },
      ...overrides,
    };
  }

  start(
    listener: HarnessListener,
    overrides: Partial<HarnessRequest> = {},
    signal = new AbortController().signal,
  ) {
    this.harnesses ??= this.compose();
    return this.harnesses.start(this.request(overrides), listener, signal);
  }

  private compose(): Harnesses {
    const stateDir = join(this.folder, 'state');
    const baseDir = join(this.folder, 'workspaces');
    const command = ['claude-code', 'openai-codex', 'opencode'].map((kind) => [kind, this.acp.command]);
    const config = readConfig({
      NODE_ID: nodeId,
      CONTROL_PLANE_URL: this.fake.url,
      NODE_ROLE: this.engine ? 'workspace' : 'standalone',
      VM_AGENT_STATE_DIR: stateDir,
      WORKSPACE_BASE_DIR: baseDir,
      ACP_COMMAND_OVERRIDES: JSON.stringify(Object.fromEntries(command)),
      ...this.environment,
    });
    const paths = statePaths(stateDir);
    const database = openDatabase(paths.database);
    const log = new Log({ level: 'debug', format: 'json' }, (line) => this.logged.push(line));
    const git = new CredentialServer(() => Promise.reject(new Error('none')), log);
    const sources = new WorkspaceSources(paths.run, git);
    const { engine } = this;
    const runner = engine ? new ContainerRunner(engine) : new StandaloneRunner(baseDir, sources);
    const commands = new WorkspaceCommands(runner);
    return composeHarnesses(config, {
      controlPlane: new ControlPlane(this.fake.url),
      kept: new KeptAnswers(database),
      bootLog: { add: (_, entry) => this.bootLogged.push(entry) },
      findWorkspace: () => this.workspace,
      commands,
      files: new Files(commands, config.files),
      sources,
      variables: platformVariables({ ...config, loopbackAlias: null }),
      runtimeFiles: new RuntimeFiles(commands, new RuntimeFileStore(database), log),
      engine,
      kills: engine ? new OomKills({ now: Date.now }) : null,
      log,
    });
  }
}

export async function workspaceOf(fake: FakeControlPlane): Promise<Workspace> {
  const workspaceId = ulid();
  return {
    workspaceId,
    generation: 1,
    status: 'running',
    settings: { repository: 'octo/full', cloneUrl: null, branch: 'main' },
    callbackToken: await fake.workspaceCallback(workspaceId),
    provisionKind: 'restart',
    errorMessage: null,
    pendingCallback: null,
    isEvicted: false,
    evictionGeneration: '',
    createdAt: '',
    updatedAt: '',
  };
}
