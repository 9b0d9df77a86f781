import type {
  McpServer as AcpMcpServer,
  InitializeResponse,
  SessionConfigOption,
  SessionModeState,
} from '@agentclientprotocol/sdk';
import type { McpServer } from '../../../../protocol/agent-sessions.js';
import type { Log } from '../../shared/log.js';
import type { OpenSession } from '../acp-harness.js';
import { HarnessError, type HarnessRequest, type HarnessSettings } from '../harness.js';
import type { HarnessKind } from '../kinds/harness-kind.js';
import type { AcpConnection, SessionPlace } from './acp-connection.js';
import { loadProven } from './load-proof.js';
import type { SessionUpdates } from './session-updates.js';

interface Opening {
  readonly request: HarnessRequest;
  readonly kind: HarnessKind;
  readonly settings: HarnessSettings;
  readonly cwd: string;
  readonly connection: AcpConnection;
  readonly updates: SessionUpdates;
  readonly log: Log;
}

/**
 * Opens the one session of a process that has just started, or loads it.
 * @throws HarnessError, or what the connection throws
 */
export async function openSession(opening: Opening): Promise<OpenSession> {
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
  { request, connection, updates }: Opening,
  place: SessionPlace,
  capabilities: InitializeResponse['agentCapabilities'],
): Promise<OpenedSession & { readonly acpSessionId: string }> {
  if (request.session.mode === 'new') {
    const { sessionId, ...opened } = await connection.newSession(place);
    return { acpSessionId: sessionId, ...opened };
  }
  const { acpSessionId } = request.session;
  const opened = await loadProven({ connection, updates, capabilities, place }, acpSessionId);
  return { acpSessionId, ...opened };
}

/**
 * The MCP servers as a session is told of them. They go over the harness's standard input alone.
 * @throws HarnessError when the harness could not reach them: its tools missing would show only in its work
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

/** What of them no message may show. */
export function mcpSecrets(servers: readonly McpServer[]): string[] {
  return servers.flatMap(({ url, token }) => [url, ...(token ? [token] : [])]);
}

/** What a harness says of a session that it has opened. */
interface OpenedSession {
  readonly modes?: SessionModeState | null;
  readonly configOptions?: readonly SessionConfigOption[] | null;
}

interface Applying {
  readonly connection: Pick<AcpConnection, 'setMode' | 'setOption'>;
  readonly kind: HarnessKind;
  readonly settings: HarnessSettings;
  readonly log: Log;
}

/** Tells the session its model, effort and mode, as far as it knows such things. What it refuses is only logged. */
async function applySettings(applying: Applying, sessionId: string, opened: OpenedSession): Promise<void> {
  for (const [what, set] of wishes(applying, sessionId, opened)) {
    try {
      await set();
    } catch (error) {
      applying.log.warn('A setting was not taken by the harness', { setting: what, error });
    }
  }
}

type Wish = readonly [what: string, set: () => Promise<unknown>];

function wishes({ connection, kind, settings }: Applying, sessionId: string, opened: OpenedSession): Wish[] {
  const { model, effort } = settings;
  const list: Wish[] = [];
  const wishOption = (what: string, category: string, values: readonly string[]) => {
    const option = opened.configOptions?.find((candidate) => candidate.category === category);
    const value = option && values.find((candidate) => offers(option, candidate));
    if (option && value !== undefined && option.currentValue !== value)
      list.push([what, () => connection.setOption(sessionId, option.id, value)]);
  };
  if (model !== null) wishOption('model', 'model', [model]);
  if (effort !== null && kind.effort === 'option') wishOption('effort', 'thought_level', [effort]);
  const modes = wantedModes(kind, settings);
  const mode = modes.find((id) => opened.modes?.availableModes.some((known) => known.id === id));
  if (mode !== undefined) list.push(['mode', () => connection.setMode(sessionId, mode)]);
  else wishOption('mode', 'mode', modes);
  return list;
}

/** `default` is what a session begins with. */
function wantedModes(kind: HarnessKind, { permissionMode }: HarnessSettings): readonly string[] {
  if (permissionMode === null || permissionMode === 'default') return [];
  return kind.modes[permissionMode] ?? [permissionMode];
}

/** Options come in a list, or in groups of lists. */
function offers(option: SessionConfigOption, value: string): boolean {
  if (option.type !== 'select') return false;
  return option.options.some((item) =>
    'value' in item ? item.value === value : item.options.some((inner) => inner.value === value),
  );
}
