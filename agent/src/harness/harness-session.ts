import type { InitializeResponse } from '@agentclientprotocol/sdk';
import type { Log } from '../shared/log.js';
import type { AcpConnection, SessionPlace } from './acp/acp-connection.js';
import { applySettings, type OpenedSession } from './acp/apply-settings.js';
import { loadProven } from './acp/load-proof.js';
import { mcpServersFor } from './acp/mcp-servers.js';
import type { SessionUpdates } from './acp/session-updates.js';
import type { OpenSession } from './acp-harness.js';
import type { HarnessRequest, HarnessSettings } from './harness.js';
import type { HarnessKind } from './kinds/harness-kind.js';

export interface Opening {
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
