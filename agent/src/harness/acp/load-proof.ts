import { randomBytes, randomUUID } from 'node:crypto';
import type { InitializeResponse, LoadSessionResponse } from '@agentclientprotocol/sdk';
import { HarnessError } from '../harness.js';
import { classifyFailure, errorText, type FailureContext, failureText } from '../harness-failure.js';
import { type AcpConnection, AcpTimeout, type SessionPlace } from './acp-connection.js';
import type { SessionUpdates } from './session-updates.js';

/** Limit of list pages to read. */
const maxPages = 50;
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

interface SessionLoad {
  readonly connection: Pick<AcpConnection, 'loadSession' | 'listSessions'>;
  readonly updates: Pick<SessionUpdates, 'repeatedOf'>;
  readonly capabilities: InitializeResponse['agentCapabilities'];
  readonly place: SessionPlace;
  readonly failure: FailureContext;
}

/**
 * Loads exactly this session. Some harnesses answer `session/load` with success for any id and open
 * a new session. So one of these must hold, the cheapest first:
 *
 * 1. The harness replayed a part of the conversation while it loaded the session.
 * 2. A harness that can list its sessions lists this one.
 * 3. A harness that cannot refuses an unknown id of the same format.
 *
 * @throws HarnessError not_loaded
 */
export async function loadVerified(loading: SessionLoad, acpSessionId: string): Promise<LoadSessionResponse> {
  const { connection, updates, capabilities, place } = loading;
  if (!capabilities?.loadSession) throw notLoaded('The harness cannot load sessions');
  const answer = await connection.loadSession(place, acpSessionId).catch((cause: unknown) => {
    if (cause instanceof AcpTimeout || isProviderError(cause)) throw cause;
    throw notLoaded(`The harness refused to load the session: ${failureText(cause, loading.failure)}`);
  });
  if (updates.repeatedOf(acpSessionId) > 0) return answer ?? {};
  const isProven = capabilities.sessionCapabilities?.list
    ? await isListed(loading, acpSessionId)
    : await refusesUnknown(loading, acpSessionId);
  if (!isProven) throw notLoaded('The harness reported a loaded session, but could not prove it');
  return answer ?? {};
}

async function isListed({ connection, place }: SessionLoad, acpSessionId: string): Promise<boolean> {
  let cursor: string | null = null;
  for (let page = 0; page < maxPages; page += 1) {
    const { sessions, nextCursor }: Awaited<ReturnType<AcpConnection['listSessions']>> =
      await connection.listSessions(place.cwd, cursor);
    if (sessions.some(({ sessionId }) => sessionId === acpSessionId)) return true;
    if (!nextCursor) return false;
    cursor = nextCursor;
  }
  return false;
}

async function refusesUnknown({ connection, place }: SessionLoad, acpSessionId: string): Promise<boolean> {
  try {
    await connection.loadSession({ ...place, mcpServers: [] }, unknownLike(acpSessionId));
    return false;
  } catch (error) {
    if (error instanceof AcpTimeout) throw error;
    return true;
  }
}

/** A random id of the same format. */
export function unknownLike(id: string): string {
  if (uuid.test(id)) return randomUUID();
  const random = randomBytes(id.length).toString('hex');
  // Replaces letters and digits. Keeps a prefix such as `ses_` and all other characters.
  const prefix = /^[a-z]+_/i.exec(id)?.[0] ?? '';
  const rest = [...id.slice(prefix.length)];
  return prefix + rest.map((character, index) => randomLike(character, random[index] ?? '0')).join('');
}

function randomLike(character: string, digit: string): string {
  if (/[0-9]/.test(character)) return String(Number.parseInt(digit, 16) % 10);
  if (/[a-f]/.test(character)) return 'abcdef'.charAt(Number.parseInt(digit, 16) % 6);
  if (/[g-z]/.test(character)) return 'ghijklmnopqrstuvwxyz'.charAt(Number.parseInt(digit, 16));
  if (/[A-Z]/.test(character)) return 'ABCDEFGHIJKLMNOP'.charAt(Number.parseInt(digit, 16));
  return character;
}

/** True for errors of the model provider, which say nothing about the session. */
function isProviderError(error: unknown): boolean {
  const { kind, code } = classifyFailure(errorText(error));
  return kind === 'transient' || code === 'model_provider_credential_rejected';
}

function notLoaded(message: string): HarnessError {
  return new HarnessError('not_loaded', message);
}
