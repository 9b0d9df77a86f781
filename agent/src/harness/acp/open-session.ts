import type {
  McpServer as AcpMcpServer,
  InitializeResponse,
  SessionConfigOption,
  SessionModeState,
} from '@agentclientprotocol/sdk';
import type { McpServer } from '../../../../protocol/agent-sessions.js';
import type { Log } from '../../shared/log.js';
import { HarnessError, type HarnessListener, type HarnessRequest, type HarnessSettings } from '../harness.js';
import { type FailureContext, failureText } from '../harness-failure.js';
import type { HarnessKind } from '../harness-kind.js';
import type { AcpConnection, SessionPlace } from './acp-connection.js';
import type { OpenSession } from './acp-harness.js';
import { sdkMessagesMeta } from './background-work.js';
import { loadVerified } from './load-proof.js';
import type { SessionUpdates } from './session-updates.js';

interface SessionOpening {
  readonly request: HarnessRequest;
  readonly kind: HarnessKind;
  readonly settings: HarnessSettings;
  readonly cwd: string;
  readonly connection: AcpConnection;
  readonly updates: SessionUpdates;
  /** The process got an API key. */
  readonly hasApiKey: boolean;
  readonly failure: FailureContext;
  readonly listener: Pick<HarnessListener, 'onNotice'>;
  readonly log: Log;
}

/**
 * Opens or loads the session of a process that has just started.
 * @throws HarnessError, or what the connection throws
 */
export async function openSession(opening: SessionOpening): Promise<OpenSession> {
  const { request, kind, cwd, connection, updates } = opening;
  const { agentCapabilities } = await connection.initialize();
  if (opening.hasApiKey && kind.apiKeyMethod !== undefined) await connection.authenticate(kind.apiKeyMethod);
  const place = {
    cwd,
    mcpServers: mcpServersFor(kind, request.mcpServers, agentCapabilities),
    ...(kind.type === 'claude-code' ? { _meta: sdkMessagesMeta } : {}),
  };
  const { acpSessionId, ...opened } = await newOrLoaded(opening, place, agentCapabilities);
  await applySettings(opening, acpSessionId, opened);
  // Text that a harness sends before, such as "[MODE_UPDATE] yolo", belongs to no turn.
  await updates.open(acpSessionId);
  return {
    acpSessionId,
    canLoad: agentCapabilities?.loadSession === true,
    canCancel: !kind.lacks.includes('cancel'),
    canClose: Boolean(agentCapabilities?.sessionCapabilities?.close),
  };
}

async function newOrLoaded(
  { request, connection, updates, failure }: SessionOpening,
  place: SessionPlace,
  capabilities: InitializeResponse['agentCapabilities'],
): Promise<OpenedSession & { readonly acpSessionId: string }> {
  if (request.session.mode === 'new') {
    const { sessionId, ...opened } = await connection.newSession(place);
    return { acpSessionId: sessionId, ...opened };
  }
  const { acpSessionId } = request.session;
  const opened = await loadVerified({ connection, updates, capabilities, place, failure }, acpSessionId);
  return { acpSessionId, ...opened };
}

/**
 * The MCP servers of a session. Sent only over the standard input of the harness.
 * @throws HarnessError when the harness cannot reach them. Missing tools would go unnoticed.
 */
function mcpServersFor(
  kind: HarnessKind,
  servers: readonly McpServer[],
  capabilities: InitializeResponse['agentCapabilities'],
): AcpMcpServer[] {
  if (servers.length === 0) return [];
  const isAnnounced = kind.lacks.includes('mcp_announcement') || capabilities?.mcpCapabilities?.http;
  if (kind.lacks.includes('mcp') || !isAnnounced)
    throw new HarnessError('not_startable', `${kind.name} cannot use remote MCP servers`);
  const names = mcpNames(servers);
  return servers.map(({ url, token }, index) => ({
    type: 'http',
    name: names[index] ?? '',
    url,
    headers: token ? [{ name: 'Authorization', value: `Bearer ${token}` }] : [],
  }));
}

/** The names of MCP servers, as the harness gets them. */
export function mcpNames(servers: readonly McpServer[]): string[] {
  return servers.map(({ name }, index) => name ?? (index === 0 ? 'svc-mcp' : `svc-mcp-${index}`));
}

/** Values of MCP servers to redact from messages. */
export function mcpSecrets(servers: readonly McpServer[]): string[] {
  return servers.flatMap(({ url, token }) => [url, ...(token ? [token] : [])]);
}

/** Modes and options of an opened session. */
interface OpenedSession {
  readonly modes?: SessionModeState | null;
  readonly configOptions?: readonly SessionConfigOption[] | null;
}

type SettingsTarget = Pick<
  SessionOpening,
  'connection' | 'kind' | 'settings' | 'failure' | 'listener' | 'log'
>;

/** Sets model, effort and mode where the session offers them. A refusal does not end the start. */
async function applySettings(
  target: SettingsTarget,
  sessionId: string,
  opened: OpenedSession,
): Promise<void> {
  for (const change of settingChanges(target, sessionId, opened)) {
    try {
      await change.set();
    } catch (error) {
      reportRefusal(target, change, failureText(error, target.failure));
    }
  }
}

interface SettingChange {
  readonly setting: 'model' | 'effort' | 'mode';
  readonly value: string;
  readonly set: () => Promise<unknown>;
}

function reportRefusal(
  { kind, listener, log }: SettingsTarget,
  { setting, value }: SettingChange,
  reason: string,
): void {
  log.warn('Harness refused a setting', { agentType: kind.type, setting, value, reason });
  const text = `${kind.name} refused the ${setting} "${value}" and works with its own default. Reason: ${reason}`;
  listener.onNotice({ code: 'setting_refused', text });
}

function settingChanges(
  { connection, kind, settings }: SettingsTarget,
  sessionId: string,
  opened: OpenedSession,
): SettingChange[] {
  const { model, effort } = settings;
  const list: SettingChange[] = [];
  const addOption = (setting: SettingChange['setting'], category: string, values: readonly string[]) => {
    const option = opened.configOptions?.find((candidate) => candidate.category === category);
    const value = option && values.find((candidate) => offers(option, candidate));
    if (option && value !== undefined && option.currentValue !== value)
      list.push({ setting, value, set: () => connection.setOption(sessionId, option.id, value) });
  };
  if (model !== null) addOption('model', 'model', [model]);
  if (effort !== null && kind.effort === 'option') addOption('effort', 'thought_level', [effort]);
  const modes = requestedModes(kind, settings);
  const mode = modes.find((id) => opened.modes?.availableModes.some((known) => known.id === id));
  if (mode !== undefined && mode !== opened.modes?.currentModeId)
    list.push({ setting: 'mode', value: mode, set: () => connection.setMode(sessionId, mode) });
  if (mode === undefined) addOption('mode', 'mode', modes);
  return list;
}

/** Also for `default`: a loaded session may be in the mode that an earlier start chose. */
function requestedModes(kind: HarnessKind, { permissionMode }: HarnessSettings): readonly string[] {
  const mode = permissionMode ?? 'default';
  return kind.modes[mode] ?? [mode];
}

/** Options are a list, or groups of lists. */
function offers(option: SessionConfigOption, value: string): boolean {
  if (option.type !== 'select') return false;
  return option.options.some((item) =>
    'value' in item ? item.value === value : item.options.some((inner) => inner.value === value),
  );
}
