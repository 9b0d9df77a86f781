import type {
  McpServer as AcpMcpServer,
  InitializeResponse,
  SessionConfigOption,
  SessionModeState,
} from '@agentclientprotocol/sdk';
import type { McpServer } from '../../../../protocol/agent-sessions.js';
import type { Log } from '../../shared/log.js';
import { HarnessError, type HarnessRequest, type HarnessSettings } from '../harness.js';
import type { HarnessKind } from '../harness-kind.js';
import type { AcpConnection, SessionPlace } from './acp-connection.js';
import type { OpenSession } from './acp-harness.js';
import { loadVerified } from './load-proof.js';
import type { SessionUpdates } from './session-updates.js';

interface SessionOpening {
  readonly request: HarnessRequest;
  readonly kind: HarnessKind;
  readonly settings: HarnessSettings;
  readonly cwd: string;
  readonly connection: AcpConnection;
  readonly updates: SessionUpdates;
  readonly log: Log;
}

/**
 * Opens or loads the session of a process that has just started.
 * @throws HarnessError, or what the connection throws
 */
export async function openSession(opening: SessionOpening): Promise<OpenSession> {
  const { request, kind, cwd, connection, updates } = opening;
  const { agentCapabilities } = await connection.initialize();
  const place = { cwd, mcpServers: mcpServersFor(kind, request.mcpServers, agentCapabilities) };
  const { acpSessionId, ...opened } = await newOrLoaded(opening, place, agentCapabilities);
  await updates.open(acpSessionId);
  await applySettings(opening, acpSessionId, opened);
  return {
    acpSessionId,
    canLoad: agentCapabilities?.loadSession === true,
    canCancel: !kind.lacks.includes('cancel'),
  };
}

async function newOrLoaded(
  { request, connection, updates }: SessionOpening,
  place: SessionPlace,
  capabilities: InitializeResponse['agentCapabilities'],
): Promise<OpenedSession & { readonly acpSessionId: string }> {
  if (request.session.mode === 'new') {
    const { sessionId, ...opened } = await connection.newSession(place);
    return { acpSessionId: sessionId, ...opened };
  }
  const { acpSessionId } = request.session;
  const opened = await loadVerified({ connection, updates, capabilities, place }, acpSessionId);
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
  return servers.map(({ name, url, token }, index) => ({
    type: 'http',
    name: name ?? (index === 0 ? 'svc-mcp' : `svc-mcp-${index}`),
    url,
    headers: token ? [{ name: 'Authorization', value: `Bearer ${token}` }] : [],
  }));
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

interface SettingsTarget {
  readonly connection: Pick<AcpConnection, 'setMode' | 'setOption'>;
  readonly kind: HarnessKind;
  readonly settings: HarnessSettings;
  readonly log: Log;
}

/** Sets model, effort and mode where the session offers them. Logs refusals. */
async function applySettings(
  target: SettingsTarget,
  sessionId: string,
  opened: OpenedSession,
): Promise<void> {
  for (const [what, set] of settingChanges(target, sessionId, opened)) {
    try {
      await set();
    } catch (error) {
      target.log.warn('Harness refused a setting', { setting: what, error });
    }
  }
}

type SettingChange = readonly [what: string, set: () => Promise<unknown>];

function settingChanges(
  { connection, kind, settings }: SettingsTarget,
  sessionId: string,
  opened: OpenedSession,
): SettingChange[] {
  const { model, effort } = settings;
  const list: SettingChange[] = [];
  const addOption = (what: string, category: string, values: readonly string[]) => {
    const option = opened.configOptions?.find((candidate) => candidate.category === category);
    const value = option && values.find((candidate) => offers(option, candidate));
    if (option && value !== undefined && option.currentValue !== value)
      list.push([what, () => connection.setOption(sessionId, option.id, value)]);
  };
  if (model !== null) addOption('model', 'model', [model]);
  if (effort !== null && kind.effort === 'option') addOption('effort', 'thought_level', [effort]);
  const modes = requestedModes(kind, settings);
  const mode = modes.find((id) => opened.modes?.availableModes.some((known) => known.id === id));
  if (mode !== undefined) list.push(['mode', () => connection.setMode(sessionId, mode)]);
  else addOption('mode', 'mode', modes);
  return list;
}

/** `default` is the initial mode of a session. */
function requestedModes(kind: HarnessKind, { permissionMode }: HarnessSettings): readonly string[] {
  if (permissionMode === null || permissionMode === 'default') return [];
  return kind.modes[permissionMode] ?? [permissionMode];
}

/** Options are a list, or groups of lists. */
function offers(option: SessionConfigOption, value: string): boolean {
  if (option.type !== 'select') return false;
  return option.options.some((item) =>
    'value' in item ? item.value === value : item.options.some((inner) => inner.value === value),
  );
}
