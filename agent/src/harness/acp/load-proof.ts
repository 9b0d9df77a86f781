import { randomBytes, randomUUID } from 'node:crypto';
import type { InitializeResponse, LoadSessionResponse } from '@agentclientprotocol/sdk';
import { HarnessError } from '../harness.js';
import { classifyFailure, wordsOf } from '../harness-failure.js';
import { type AcpConnection, AcpTimeout, type SessionPlace } from './acp-connection.js';
import type { SessionUpdates } from './session-updates.js';

/** So many pages of a list are read. */
const maxPages = 50;
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

interface Loading {
  readonly connection: Pick<AcpConnection, 'loadSession' | 'listSessions'>;
  readonly updates: Pick<SessionUpdates, 'repeatedOf'>;
  readonly capabilities: InitializeResponse['agentCapabilities'];
  readonly place: SessionPlace;
}

/**
 * Loads exactly this session. Success alone proves nothing: there are harnesses that give it for any id, with a fresh
 * session behind it. So one of these must hold, the cheapest first:
 *
 * 1. it repeated some of this session's conversation while it loaded it;
 * 2. where it can list its sessions: this one is among them;
 * 3. where it cannot: it refuses a session of the same look that no one has ever had.
 *
 * @throws HarnessError not_loaded
 */
export async function loadProven(loading: Loading, acpSessionId: string): Promise<LoadSessionResponse> {
  const { connection, updates, capabilities, place } = loading;
  if (!capabilities?.loadSession) throw notLoaded('The harness cannot load sessions');
  const answer = await connection.loadSession(place, acpSessionId).catch((cause: unknown) => {
    if (cause instanceof AcpTimeout || isProviders(cause)) throw cause;
    throw notLoaded('The harness has no such session');
  });
  if (updates.repeatedOf(acpSessionId) > 0) return answer ?? {};
  const isProven = capabilities.sessionCapabilities?.list
    ? await isListed(loading, acpSessionId)
    : await refusesUnknown(loading, acpSessionId);
  if (!isProven) throw notLoaded('The harness says that it loaded the session, and cannot prove it');
  return answer ?? {};
}

async function isListed({ connection, place }: Loading, acpSessionId: string): Promise<boolean> {
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

async function refusesUnknown({ connection, place }: Loading, acpSessionId: string): Promise<boolean> {
  try {
    await connection.loadSession({ ...place, mcpServers: [] }, unknownLike(acpSessionId));
    return false;
  } catch (error) {
    if (error instanceof AcpTimeout) throw error;
    return true;
  }
}

/** An id that looks like the other, letters for letters and digits for digits, and is nobody's. */
export function unknownLike(id: string): string {
  if (uuid.test(id)) return randomUUID();
  const random = randomBytes(id.length).toString('hex');
  // Hexadecimal digits fit wherever letters or digits do; all else, and a prefix before it, stays.
  const prefix = /^[a-z]+_/i.exec(id)?.[0] ?? '';
  const rest = [...id.slice(prefix.length)];
  return prefix + rest.map((character, index) => likeOf(character, random[index] ?? '0')).join('');
}

function likeOf(character: string, digit: string): string {
  if (/[0-9]/.test(character)) return String(Number.parseInt(digit, 16) % 10);
  if (/[a-f]/.test(character)) return 'abcdef'.charAt(Number.parseInt(digit, 16) % 6);
  if (/[g-z]/.test(character)) return 'ghijklmnopqrstuvwxyz'.charAt(Number.parseInt(digit, 16));
  if (/[A-Z]/.test(character)) return 'ABCDEFGHIJKLMNOP'.charAt(Number.parseInt(digit, 16));
  return character;
}

/** Says nothing of the session: the model's provider is away, or does not take the credential. */
function isProviders(error: unknown): boolean {
  const { kind, code } = classifyFailure(wordsOf(error));
  return kind === 'transient' || code === 'model_provider_credential_rejected';
}

function notLoaded(message: string): HarnessError {
  return new HarnessError('not_loaded', message);
}
