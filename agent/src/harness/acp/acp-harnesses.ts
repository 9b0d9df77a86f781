import type { Files } from '../../files/files.js';
import type { WorkspaceCommands } from '../../files/workspace-commands.js';
import type { Log } from '../../shared/log.js';
import { type LoopbackAlias, seenFromContainers } from '../../workspaces/loopback-alias.js';
import type { PlatformVariables } from '../../workspaces/platform-variables.js';
import type { Credential, Credentials } from '../credentials.js';
import {
  type Harness,
  HarnessError,
  type Harnesses,
  type HarnessListener,
  type HarnessRequest,
  type HarnessSettings,
} from '../harness.js';
import type { HarnessCallbacks } from '../harness-callbacks.js';
import { startFailure } from '../harness-failure.js';
import type { HarnessKind } from '../harness-kind.js';
import type { HarnessLauncher } from '../harness-process.js';
import type { Installer } from '../installer.js';
import { resolveSettings } from '../resolve-settings.js';
import { prepareAssets, type SessionAssetsDeps } from '../session-assets.js';
import type { UsageProbes } from '../usage-probes.js';
import type { UsageReports } from '../usage-reports.js';
import { AcpConnection, type AcpTimeouts } from './acp-connection.js';
import { AcpHarness } from './acp-harness.js';
import type { BackgroundWorkLimits } from './background-work.js';
import { mcpNames, mcpSecrets, openSession } from './open-session.js';
import { ProviderRetries } from './provider-failures.js';
import { SeenToolCalls } from './seen-tool-calls.js';
import { SessionOpenings } from './session-openings.js';
import { SessionUpdates } from './session-updates.js';
import { WorkspaceTexts } from './workspace-texts.js';

export interface AcpHarnessesDeps extends SessionAssetsDeps {
  readonly kindOf: (request: HarnessRequest) => StartableKind;
  readonly launcher: HarnessLauncher;
  readonly installer: Installer;
  readonly credentials: Credentials;
  readonly callbacks: HarnessCallbacks;
  readonly usage: UsageProbes;
  readonly usageReports: UsageReports;
  readonly commands: WorkspaceCommands;
  readonly files: Files;
  readonly timeouts: AcpTimeouts;
  readonly backgroundWork: BackgroundWorkLimits;
  readonly stopGraceMs: number;
  readonly loopbackAlias?: LoopbackAlias;
  readonly platform: PlatformVariables;
  readonly log: Log;
}

export interface StartableKind extends HarnessKind {
  /** False for a configured command that replaces the default one. */
  readonly isInstalled: boolean;
}

/** Arguments of a start. */
interface Start {
  readonly request: HarnessRequest;
  readonly listener: HarnessListener;
  readonly signal: AbortSignal;
  readonly kind: StartableKind;
}

interface Prepared {
  readonly settings: HarnessSettings;
  readonly credential: Credential;
  /** Variables of the profile and the skill. */
  readonly variables: Readonly<Record<string, string>>;
  /** Path or name of the program of the harness. */
  readonly program: string;
}

interface Launch extends Prepared {
  readonly secrets: readonly string[];
  readonly retries: ProviderRetries;
  readonly updates: SessionUpdates;
}

/** Shorter values occur in ordinary text, which redaction would hide. */
const isMaskable = (value: string): boolean => value.length >= 8;

/** Starts coding agents that speak ACP over standard input and output. */
export class AcpHarnesses implements Harnesses {
  private readonly openings = new SessionOpenings();

  constructor(private readonly deps: AcpHarnessesDeps) {}

  async start(given: HarnessRequest, listener: HarnessListener, signal: AbortSignal): Promise<Harness> {
    const alias = this.deps.loopbackAlias ?? null;
    const mcpServers = given.mcpServers.map((one) => ({ ...one, url: seenFromContainers(one.url, alias) }));
    const request = { ...given, mcpServers };
    const start = { request, listener, signal, kind: this.deps.kindOf(request) };
    signal.throwIfAborted();
    try {
      return await this.begin(start);
    } catch (cause) {
      signal.throwIfAborted();
      if (cause instanceof HarnessError) throw cause;
      throw new HarnessError('not_startable', `${start.kind.name} could not be started in the workspace`, {
        cause,
      });
    }
  }

  private async begin(start: Start): Promise<Harness> {
    const { workspace, sessionId } = start.request;
    // A session must never have two processes.
    await this.deps.launcher.endLeftovers(workspace, sessionId);
    const prepared = await this.prepare(start);
    await this.openings.untilLoadable(start.request.session, start.signal);
    start.signal.throwIfAborted();
    start.listener.onStatus('starting');
    return this.run(start, prepared);
  }

  private async prepare(start: Start): Promise<Prepared> {
    const { request, listener, signal, kind } = start;
    const { credentials, callbacks, installer } = this.deps;
    const { workspace } = request;
    const [answer, stored, variables] = await Promise.all([
      credentials.fetch(request, kind, signal),
      callbacks.settings(request, kind.type, signal),
      prepareAssets(this.deps, request, signal),
    ]);
    const settings = resolveSettings(request.settings, stored, answer.key);
    const credential = await credentials.place({ workspace, kind, settings }, answer);
    const installing = { workspace, kind, onInstall: () => listener.onStatus('installing'), signal };
    const program = kind.isInstalled ? kind.command[0] : await installer.ensure(installing);
    return { settings, credential, variables, program };
  }

  private async run(start: Start, prepared: Prepared): Promise<Harness> {
    const { request, signal, kind, listener } = start;
    const secrets = secretsOf(request, prepared);
    const retries = new ProviderRetries({ name: kind.name, secrets, listener });
    const updates = new SessionUpdates(retries, this.deps.log);
    const { harness, connection, cwd } = await this.launch(start, { ...prepared, secrets, retries, updates });
    const abort = () => {
      harness.stop().catch(() => undefined);
    };
    signal.addEventListener('abort', abort, { once: true });
    try {
      const { log } = this.deps;
      const { settings, credential } = prepared;
      const hasApiKey = credential.key?.credentialKind === 'api-key';
      const { failure } = harness;
      const opening = {
        request,
        kind,
        settings,
        cwd,
        connection,
        updates,
        hasApiKey,
        failure,
        listener,
        log,
      };
      const session = await harness.failing(openSession(opening));
      if (request.session.mode === 'new') this.openings.opened(kind, session.acpSessionId);
      return harness.with(session);
    } catch (error) {
      await harness.stop();
      signal.throwIfAborted();
      throw startError(error, harness);
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  private async launch({ request, listener, kind }: Start, prepared: Launch) {
    const { launcher, commands, files, timeouts, backgroundWork, credentials, usage } = this.deps;
    const { workspace, sessionId } = request;
    const { settings, credential, variables, program, secrets, retries, updates } = prepared;
    const workDir = request.workDir ?? commands.place(workspace).workDir;
    const credentialKind = credential.key?.credentialKind ?? null;
    const own = { ...kind.environment(settings, credentialKind), ...credential.environment };
    const given = { ...this.deps.platform(workspace, request), ...variables, ...own };
    const environment = kind.adaptEnvironment?.(given) ?? given;
    const startedAt = performance.now();
    const process = await launcher
      .launch({ workspace, sessionId, argv: [program, ...kind.command.slice(1)], workDir, environment })
      .catch((cause: unknown) => {
        throw new HarnessError('not_startable', `${kind.name} could not be started`, { cause });
      });
    const { permissionMode } = settings;
    const toolCalls = new SeenToolCalls(new Set(mcpNames(request.mcpServers)));
    const texts = new WorkspaceTexts(workspace, commands, files);
    const { stdin, stdout } = process;
    const connection = new AcpConnection({
      stdin,
      stdout,
      listener,
      permissionMode,
      elicitation: request.elicitation,
      toolCalls,
      updates,
      texts,
      timeouts,
      backgroundWork,
      onLimits: (windows) => this.deps.usageReports.add(request, windows),
    });
    const harness = new AcpHarness({
      connection,
      process,
      name: kind.name,
      secrets,
      retries,
      startedAt,
      stopGraceMs: this.deps.stopGraceMs,
      onTurn: (turn) => usage.afterTurn({ ...turn, request, settings, key: credential.key }),
      onEnd: () => credentials.syncBack(request, kind, credential),
    });
    return { harness, connection, cwd: workDir };
  }
}

const secretsOf = (
  { workspace, mcpServers }: HarnessRequest,
  { credential, variables }: Prepared,
): readonly string[] => [
  ...credential.secrets,
  ...mcpSecrets(mcpServers),
  ...Object.values(variables).filter(isMaskable),
  workspace.callbackToken,
];

function startError(error: unknown, harness: AcpHarness): HarnessError {
  if (error instanceof HarnessError && error.kind === 'crashed')
    return new HarnessError('crashed_at_start', error.message, error.detail);
  return startFailure(error, harness.failure);
}
